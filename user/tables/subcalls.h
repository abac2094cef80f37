/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subcalls.h - i386: calls whose arguments lie in memory, and what they are then
 *
 *   SUBS(call, reg)      the register that points to the arguments
 *   SUB(key, call, ABI)  with that value in register 0 it is this row of
 *                        syscalls_*.h; ANY_KEY: there is only one
 *   SUBS_END(call)
 */
SUBS(socketcall, 1)
	SUB(1, socket, B)
	SUB(2, bind, B)
	SUB(3, connect, B)
	SUB(4, listen, B)
	SUB(5, accept, N)
	SUB(6, getsockname, B)
	SUB(7, getpeername, B)
	SUB(8, socketpair, B)
	SUB(9, send, S)
	SUB(10, recv, S)
	SUB(11, sendto, B)
	SUB(12, recvfrom, B)
	SUB(13, shutdown, B)
	SUB(14, setsockopt, B)
	SUB(15, getsockopt, B)
	SUB(16, sendmsg, B)
	SUB(17, recvmsg, S)
	SUB(18, accept4, B)
SUBS_END(socketcall)

SUBS(mmap, 0)
	SUB(ANY_KEY, mmap, S)
SUBS_END(mmap)

SUBS(select, 0)
	SUB(ANY_KEY, select, S)
SUBS_END(select)
