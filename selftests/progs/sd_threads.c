// SPDX-License-Identifier: GPL-2.0-or-later
/* Three threads take turns with a mutex and a condition, and are joined. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void *run(void *arg)
{
	int me = (int)(long)arg;
	char text[32];

	pthread_mutex_lock(&lock);
	while (turn != me)
		pthread_cond_wait(&turned, &lock);
	snprintf(text, sizeof(text), "thread %d\n", me);
	if (write(1, text, 9) != 9)
		_exit(1);
	turn++;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	long i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
