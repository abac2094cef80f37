/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variants_ipc.h - shmctl, semctl, msgctl, see variants.h
 *
 * x86-64 has one form of the structs and no IPC_64; i386 has the one that is
 * known here with IPC_64 only.
 */
#define SHM_ROWS(form) \
	V(form | IPC_STAT, DEC, S_OUT(buf, shmid_ds)) \
	V(form | SHM_STAT, DEC, S_OUT(buf, shmid_ds)) \
	V(form | SHM_STAT_ANY, DEC, S_OUT(buf, shmid_ds)) \
	V(form | IPC_SET, DEC, S_IN(buf, shmid_ds_set)) \
	V(form | IPC_INFO, DEC, S_OUT(buf, shm_params)) \
	V(form | SHM_INFO, DEC, S_OUT(buf, shm_info))

#define SEM_ROWS(form) \
	V(form | IPC_STAT, DEC, S_OUT(arg, semid_ds)) \
	V(form | SEM_STAT, DEC, S_OUT(arg, semid_ds)) \
	V(form | SEM_STAT_ANY, DEC, S_OUT(arg, semid_ds)) \
	V(form | IPC_SET, DEC, S_IN(arg, semid_ds_set)) \
	V(form | IPC_INFO, DEC, S_OUT(arg, seminfo)) \
	V(form | SEM_INFO, DEC, S_OUT(arg, seminfo)) \
	V(form | SETVAL, DEC, HEX(arg))

#define MSG_ROWS(form) \
	V(form | IPC_STAT, DEC, S_OUT(buf, msqid_ds)) \
	V(form | MSG_STAT, DEC, S_OUT(buf, msqid_ds)) \
	V(form | MSG_STAT_ANY, DEC, S_OUT(buf, msqid_ds)) \
	V(form | IPC_SET, DEC, S_IN(buf, msqid_ds_set)) \
	V(form | IPC_INFO, DEC, S_OUT(buf, msginfo)) \
	V(form | MSG_INFO, DEC, S_OUT(buf, msginfo))

VARIANTS(shmctl, N, 1, ~0u)
	SHM_ROWS(0)
VARIANTS_END(shmctl, N)

VARIANTS(shmctl, C, 1, ~0u)
	SHM_ROWS(IPC_64)
VARIANTS_END(shmctl, C)

VARIANTS(semctl, N, 2, ~0u)
	SEM_ROWS(0)
VARIANTS_END(semctl, N)

VARIANTS(semctl, C, 2, ~0u)
	SEM_ROWS(IPC_64)
VARIANTS_END(semctl, C)

VARIANTS(msgctl, N, 1, ~0u)
	MSG_ROWS(0)
VARIANTS_END(msgctl, N)

VARIANTS(msgctl, C, 1, ~0u)
	MSG_ROWS(IPC_64)
VARIANTS_END(msgctl, C)

/* i386: the other calls by number, their arguments in another order. */
VARIANTS(ipc, C, 0, ~0u)
	VN(1, semop, DEC, INT(semid, REG(1))
	   S_LIST(tsops, W_IN, sembuf, 2, REG(4)) UINT(nsops, REG(2)))
	VN(2, semget, DEC, ENUM(key, ipc_private, REG(1)) INT(nsems, REG(2))
	   ARG(semflg, K_IPCFLAGS, .tab = &xlat_ipc_create_flags, REG(3)))
	VN(4, semtimedop, DEC, INT(semid, REG(1))
	   S_LIST(tsops, W_IN, sembuf, 2, REG(4)) UINT(nsops, REG(2))
	   S_IN(timeout, timespec, REG(5)))
	VN(11, msgsnd, DEC, INT(msqid, REG(1)) MSGBUF(msgp, W_IN, 2, REG(4))
	   UDEC(msgsz, REG(2)) FLAGS(msgflg, ipc_msg_flags, REG(3)))
	VN(1 << 16 | 12, msgrcv, DEC, INT(msqid, REG(1))
	   MSGBUF(msgp, W_OUT, 2, REG(4)) UDEC(msgsz, REG(2))
	   DEC(msgtyp, REG(5)) FLAGS(msgflg, ipc_msg_flags, REG(3)))
	VN(13, msgget, DEC, ENUM(key, ipc_private, REG(1))
	   ARG(msgflg, K_IPCFLAGS, .tab = &xlat_ipc_create_flags, REG(2)))
	VN(3, semctl, DEC, INT(semid, REG(1)) INT(semnum, REG(2))
	   ARG(cmd, K_IPCCMD, .tab = &xlat_sem_cmds, REG(3)) ADDR(arg, REG(4)))
	VN(14, msgctl, DEC, INT(msqid, REG(1))
	   ARG(cmd, K_IPCCMD, .tab = &xlat_msg_cmds, REG(2)) ADDR(buf, REG(4)))
	VN(24, shmctl, DEC, INT(shmid, REG(1))
	   ARG(cmd, K_IPCCMD, .tab = &xlat_shm_cmds, REG(2)) ADDR(buf, REG(4)))
	VN(22, shmdt, DEC, ADDR(shmaddr, REG(4)))
	VN(23, shmget, DEC, ENUM(key, ipc_private, REG(1)) UDEC(size, REG(2))
	   ARG(flag, K_IPCFLAGS, .tab = &xlat_shm_create_flags, REG(3)))
VARIANTS_END(ipc, C)
