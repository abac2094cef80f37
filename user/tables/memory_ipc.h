/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_ipc.h - System V IPC, see memory.h; i386 has its times in two halves */
#if ABI_IS_64
#define IPC_TIME(name) WORD name
#else
#define IPC_TIME(name) WORD name, name##_high
#endif
struct ABI(ipc_perm) {
	int key;
	uint32_t uid, gid, cuid, cgid, mode;
	uint16_t seq, pad2;
	UWORD unused1, unused2;
};
struct ABI(shmid_ds) {
	struct ABI(ipc_perm) shm_perm;
	UWORD shm_segsz;
	IPC_TIME(shm_atime);
	IPC_TIME(shm_dtime);
	IPC_TIME(shm_ctime);
	int shm_cpid, shm_lpid;
	UWORD shm_nattch, unused4, unused5;
};
struct ABI(shm_params) {
	UWORD shmmax, shmmin, shmmni, shmseg, shmall, unused[4];
};
struct ABI(shm_info) {
	int used_ids;
	UWORD shm_tot, shm_rss, shm_swp, swap_attempts, swap_successes;
};
struct ABI(semid_ds) {
	struct ABI(ipc_perm) sem_perm;
	UWORD sem_otime, unused1, sem_ctime, unused2, sem_nsems, unused3,
	      unused4;
};
struct ABI(seminfo) {
	int semmap, semmni, semmns, semmnu, semmsl, semopm, semume, semusz,
	    semvmx, semaem;
};
struct ABI(msqid_ds) {
	struct ABI(ipc_perm) msg_perm;
	IPC_TIME(msg_stime);
	IPC_TIME(msg_rtime);
	IPC_TIME(msg_ctime);
	UWORD msg_cbytes, msg_qnum, msg_qbytes;
	int msg_lspid, msg_lrpid;
	UWORD unused4, unused5;
};
struct ABI(msginfo) {
	int msgpool, msgmap, msgmax, msgmnb, msgmni, msgssz, msgtql;
	uint16_t msgseg;
};
#undef IPC_TIME
