/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cases take from a C library: put before each of them, so that they compile without one, for any
 * processor. */
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
#define bool _Bool
#define true 1
#define false 0
#define NULL ((void *)0)
#define UINT32_MAX 0xffffffffu
#define INT32_MAX 0x7fffffff
#define offsetof(type, member) __builtin_offsetof(type, member)

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *p, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *p, int byte, size_t size);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *part);
char *strdup(const char *s);
int snprintf(char *to, size_t size, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int sscanf(const char *s, const char *format, ...);

/* In halves/: whether the n-th part of the patch is in. A half fix is a patch of which one is left out. */
#ifndef LEFT_OUT
#define LEFT_OUT 0
#endif
#ifdef PATCHED
#define FIX(n) ((n) != LEFT_OUT)
#else
#define FIX(n) 0
#endif
