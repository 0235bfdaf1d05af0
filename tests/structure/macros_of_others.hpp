// SPDX-License-Identifier: BSL-1.0
// Macros that headers of others define in lower case or in common words. A user may include those first, so
// that no header of the library can use such a name. Their values are those of their owners.
#pragma once

// Qt, without QT_NO_KEYWORDS
#define signals public
#define slots
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)

// windows.h
#define near
#define far
#define small char
#define hyper __int64
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define DELETE (0x00010000L)
#define ERROR 0
#define STRICT 1
#define TRUE 1
#define FALSE 0

// Xlib
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
#define Above 0
#define Below 1

// glibc's sys/sysmacros.h and sys/param.h, and names that g++ has without -std=c++20
#define major(device) gnu_dev_major(device)
#define minor(device) gnu_dev_minor(device)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#ifndef linux
#define linux 1
#define unix 1
#endif
