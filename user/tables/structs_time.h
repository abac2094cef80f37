/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs_time.h - layouts: times, clocks, timers */
LAYOUT(timespec)
	F(timespec, tv_sec, DEC)
	F(timespec, tv_nsec, UDEC)
LAYOUT_END(timespec, timespec)

LAYOUT(timespec64)
	F(timespec64, tv_sec, DEC)
	F(timespec64, tv_nsec, UDEC)
LAYOUT_END(timespec64, timespec64)

/* For utimensat: the date behind, and its two special values. */
LAYOUT(utimespec)
	F(timespec, tv_sec, TIMESPEC)
	F(timespec, tv_nsec, UDEC)
LAYOUT_END(utimespec, timespec)

LAYOUT(utimespec64)
	F(timespec64, tv_sec, TIMESPEC)
	F(timespec64, tv_nsec, UDEC)
LAYOUT_END(utimespec64, timespec64)

/* For utimes. */
LAYOUT(utimeval)
	F(timeval, tv_sec, TIMESPEC)
	F(timeval, tv_usec, UDEC)
LAYOUT_END(utimeval, timeval)

LAYOUT(timeval64)
	F(timeval64, tv_sec, DEC)
	F(timeval64, tv_usec, UDEC)
LAYOUT_END(timeval64, timeval64)

LAYOUT(timeval)
	F(timeval, tv_sec, DEC)
	F(timeval, tv_usec, UDEC)
LAYOUT_END(timeval, timeval)

LAYOUT(timezone)
	F(timezone, tz_minuteswest, DEC)
	F(timezone, tz_dsttime, DEC)
LAYOUT_END(timezone, timezone)

LAYOUT(itimerval)
	F(itimerval, it_interval, STRUCT, S(timeval))
	F(itimerval, it_value, STRUCT, S(timeval))
LAYOUT_END(itimerval, itimerval)

LAYOUT(itimerspec)
	F(itimerspec, it_interval, STRUCT, S(timespec))
	F(itimerspec, it_value, STRUCT, S(timespec))
LAYOUT_END(itimerspec, itimerspec)

LAYOUT(itimerspec64)
	F(itimerspec64, it_interval, STRUCT, S(timespec64))
	F(itimerspec64, it_value, STRUCT, S(timespec64))
LAYOUT_END(itimerspec64, itimerspec64)

LAYOUT(utimbuf)
	F(utimbuf, actime, TIMESTAMP)
	F(utimbuf, modtime, TIMESTAMP)
LAYOUT_END(utimbuf, utimbuf)

LAYOUT(tms)
	F(tms, tms_utime, TICKS)
	F(tms, tms_stime, TICKS)
	F(tms, tms_cutime, TICKS)
	F(tms, tms_cstime, TICKS)
LAYOUT_END(tms, tms)

#define TIMEX_FIELDS(t, timefield) \
	F(t, modes, FLAGS, T(adjtimex_modes)) \
	F(t, offset, DEC) \
	F(t, freq, DEC) \
	F(t, maxerror, DEC) \
	F(t, esterror, UDEC) \
	F(t, status, FLAGS, T(adjtimex_status)) \
	F(t, constant, DEC) \
	F(t, precision, UDEC) \
	F(t, tolerance, DEC) \
	timefield \
	F(t, tick, DEC) \
	F(t, ppsfreq, DEC) \
	F(t, jitter, DEC) \
	F(t, shift, DEC) \
	F(t, stabil, DEC) \
	F(t, jitcnt, DEC) \
	F(t, calcnt, DEC) \
	F(t, errcnt, DEC) \
	F(t, stbcnt, DEC) \
	F(t, tai, DEC)

LAYOUT(timex)
	TIMEX_FIELDS(timex, F(timex, time, STRUCT, S(timeval)))
LAYOUT_END(timex, timex)

LAYOUT(timex64)
	TIMEX_FIELDS(timex64, F(timex64, time, STRUCT, S(timeval64)))
LAYOUT_END(timex64, timex64)
