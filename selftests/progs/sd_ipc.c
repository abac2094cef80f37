// SPDX-License-Identifier: GPL-2.0-or-later
/* System V and POSIX queues, semaphores and shared memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	struct shmid_ds ds;
	void *p = shmat(id, NULL, 0);

	shmctl(id, IPC_STAT, &ds);
	ds.shm_perm.mode = 0640;
	shmctl(id, IPC_SET, &ds);
	shmdt(p);
	shmdt(p);
	shmctl(id, IPC_RMID, NULL);
	shmget(77, 0, 0);
}

static void semaphores(void)
{
	int id = semget(IPC_PRIVATE, 2, IPC_CREAT | IPC_EXCL | 0600);
	struct sembuf ops[2] = { { 0, 1, 0 }, { 1, 0, IPC_NOWAIT | SEM_UNDO } };
	unsigned short values[2] = { 3, 0 };
	struct timespec ts = { 1, 0 };
	struct semid_ds ds;

	semctl(id, 0, SETVAL, 2);
	semctl(id, 0, GETVAL);
	semctl(id, 0, SETALL, values);
	semctl(id, 0, IPC_STAT, &ds);
	semop(id, ops, 2);
	semtimedop(id, ops, 1, &ts);
	semop(id, NULL, 0);
	semctl(id, 0, IPC_RMID);
}

static void queue(void)
{
	struct { long type; char text[16]; } msg = { 5, "message" };
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	struct msqid_ds ds;

	msgsnd(id, &msg, 7, IPC_NOWAIT);
	msgrcv(id, &msg, 16, -9, MSG_NOERROR);
	msgrcv(id, &msg, 16, 1, IPC_NOWAIT);
	msgsnd(id, (void *)8, 7, 0);
	msgctl(id, IPC_STAT, &ds);
	msgctl(id, IPC_RMID, NULL);
}

static void posix_queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 64 };
	struct timespec ts = { 1, 0 };
	unsigned int prio;
	char buf[64];
	mqd_t q = mq_open("/sd_ipc", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);

	mq_send(q, "first", 5, 3);
	mq_getattr(q, &attr);
	mq_timedreceive(q, buf, sizeof(buf), &prio, &ts);
	mq_receive(q, buf, sizeof(buf), NULL);
	mq_close(q);
	mq_unlink("/sd_ipc");
}

int main(void)
{
	shared_memory();
	semaphores();
	queue();
	posix_queue();
	return 0;
}
