/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small functions, compiled to bitcode and to machine code; both must do the same. Each is given two random
 * numbers and eight words of memory. Nothing here is undefined or depends on the target: wrapping is asked
 * for
 * (-fwrapv), NaNs are returned as one number. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t case_fn(uint64_t a, uint64_t b, uint64_t *p);
struct test_case {
    const char *name;
    case_fn *run;
};
#define CASE(name)                                                                                           \
    uint64_t name(uint64_t a, uint64_t b, uint64_t *p);                                                      \
    static const struct test_case entry_##name __attribute__((used, section("cases"))) = {#name, name};      \
    uint64_t name(__attribute__((unused)) uint64_t a, __attribute__((unused)) uint64_t b,                    \
                  __attribute__((unused)) uint64_t *p)
#define NOINLINE __attribute__((noinline))

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifdef __SIZEOF_INT128__
typedef __int128 i128;
typedef unsigned __int128 u128;
#endif

static u64 bits_of(double x)
{
    union {
        double d;
        u64 u;
    } v = {x};
    return x != x ? 1 : v.u;
}

static u64 bits_of_float(float x)
{
    union {
        float f;
        u32 u;
    } v = {x};
    return x != x ? 1 : v.u;
}

static double double_of(u64 u)
{
    union {
        u64 u;
        double d;
    } v = {u};
    return v.d;
}

static float float_of(u64 u)
{
    union {
        u32 u;
        float f;
    } v = {(u32)u};
    return v.f;
}

/* ---- integers ---- */

#define INTEGER(T, bits)                                                                                     \
    CASE(T##_add)                                                                                            \
    {                                                                                                        \
        return (u64)(T)((T)a + (T)b);                                                                        \
    }                                                                                                        \
    CASE(T##_sub)                                                                                            \
    {                                                                                                        \
        return (u64)(T)((T)a - (T)b);                                                                        \
    }                                                                                                        \
    CASE(T##_mul)                                                                                            \
    {                                                                                                        \
        return (u64)(T)((T)a * (T)b);                                                                        \
    }                                                                                                        \
    CASE(T##_div)                                                                                            \
    {                                                                                                        \
        return (T)b == 0 || (T)b == (T)-1 ? 7 : (u64)(T)((T)a / (T)b);                                       \
    }                                                                                                        \
    CASE(T##_rem)                                                                                            \
    {                                                                                                        \
        return (T)b == 0 || (T)b == (T)-1 ? 7 : (u64)(T)((T)a % (T)b);                                       \
    }                                                                                                        \
    CASE(T##_logic)                                                                                          \
    {                                                                                                        \
        return (u64)(T)(((T)a & (T)b) ^ ((T)a | (T) ~(T)b));                                                 \
    }                                                                                                        \
    CASE(T##_shl)                                                                                            \
    {                                                                                                        \
        return (u64)(T)((T)a << (b % bits));                                                                 \
    }                                                                                                        \
    CASE(T##_shr)                                                                                            \
    {                                                                                                        \
        return (u64)(T)((T)a >> (b % bits));                                                                 \
    }                                                                                                        \
    CASE(T##_compare)                                                                                        \
    {                                                                                                        \
        T x = (T)a, y = (T)b;                                                                                \
        return (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5;       \
    }                                                                                                        \
    CASE(T##_select)                                                                                         \
    {                                                                                                        \
        return (u64)((T)a < (T)b ? (T)(a + 1) : (T)(b - 1));                                                 \
    }                                                                                                        \
    CASE(T##_memory)                                                                                         \
    {                                                                                                        \
        T *q = (T *)p;                                                                                       \
        q[1] = (T)(q[0] + (T)a);                                                                             \
        q[2] ^= (T)b;                                                                                        \
        return (u64)q[a % 3];                                                                                \
    }                                                                                                        \
    CASE(T##_overflow)                                                                                       \
    {                                                                                                        \
        T r, s, m;                                                                                           \
        u64 flags = __builtin_add_overflow((T)a, (T)b, &r);                                                  \
        flags |= (u64)__builtin_sub_overflow((T)a, (T)b, &s) << 1;                                           \
        flags |= (u64)__builtin_mul_overflow((T)a, (T)b, &m) << 2;                                           \
        return flags ^ (u64)r ^ (u64)s ^ (u64)m;                                                             \
    }                                                                                                        \
    CASE(T##_loop)                                                                                           \
    {                                                                                                        \
        T x = 0, y = 1;                                                                                      \
        for (u32 i = 0; i < a % 50; i++) {                                                                   \
            T next = (T)(x + y * (T)b);                                                                      \
            x = y;                                                                                           \
            y = next;                                                                                        \
        }                                                                                                    \
        return (u64)x;                                                                                       \
    }

INTEGER(i8, 8)
INTEGER(u8, 8)
INTEGER(i16, 16)
INTEGER(u16, 16)
INTEGER(i32, 32)
INTEGER(u32, 32)
INTEGER(i64, 64)
INTEGER(u64, 64)

#ifdef __SIZEOF_INT128__
#define FOLD(x) ((u64)(x) ^ (u64)((u128)(x) >> 64) * 3)
#define WIDE(a, b) ((u128)(a) << 64 | (b))
CASE(i128_add)
{
    return FOLD(WIDE(a, b) + WIDE(b, a));
}
CASE(i128_sub)
{
    return FOLD(WIDE(a, b) - WIDE(b, a));
}
CASE(i128_mul)
{
    return FOLD(WIDE(a, b) * WIDE(b, a + 1));
}
CASE(i128_shl)
{
    return FOLD(WIDE(a, b) << (a % 128));
}
CASE(i128_shr)
{
    return FOLD((i128)WIDE(a, b) >> (b % 128));
}
CASE(i128_lshr)
{
    return FOLD(WIDE(a, b) >> (b % 128));
}
CASE(i128_compare)
{
    return ((i128)WIDE(a, b) < (i128)WIDE(b, a)) | (WIDE(a, b) < WIDE(b, a)) << 1;
}
CASE(i128_constant)
{
    return FOLD(WIDE(a, b) ^ ((u128)0x0123456789abcdef << 64 | 0xfedcba9876543210));
}
CASE(i128_negative)
{
    return FOLD((i128)WIDE(a, b) - (((i128)1 << 100) + 12345));
}
CASE(i128_memory)
{
    u128 *q = (u128 *)p;
    q[1] = q[0] + WIDE(a, b);
    return FOLD(q[1]);
}
CASE(i128_product)
{
    u128 r = (u128)a * b;
    return (u64)(r >> 64);
}
#endif

/* ---- conversions between integers ---- */

#define CONVERT(F, T)                                                                                        \
    CASE(F##_to_##T)                                                                                         \
    {                                                                                                        \
        return (u64)(T)(F)a + (u64)(F)b;                                                                     \
    }
#define CONVERT_FROM(F)                                                                                      \
    CONVERT(F, i8)                                                                                           \
    CONVERT(F, u8)                                                                                           \
    CONVERT(F, i16) CONVERT(F, u16) CONVERT(F, i32) CONVERT(F, u32) CONVERT(F, i64) CONVERT(F, u64)
CONVERT_FROM(i8)
CONVERT_FROM(u8)
CONVERT_FROM(i16)
CONVERT_FROM(u16)
CONVERT_FROM(i32)
CONVERT_FROM(u32)
CONVERT_FROM(i64)
CONVERT_FROM(bool)

/* ---- bits ---- */

CASE(count_ones)
{
    return (u64)(__builtin_popcountll(a) + __builtin_popcount((u32)b));
}
CASE(count_leading)
{
    return a ? (u64)__builtin_clzll(a) : 99;
}
CASE(count_trailing)
{
    return (u32)a ? (u64)__builtin_ctz((u32)a) : 99;
}
CASE(find_first)
{
    return (u64)__builtin_ffsll((i64)(a & b));
}
CASE(parity)
{
    return (u64)__builtin_parityll(a);
}
CASE(byte_swap)
{
    return __builtin_bswap64(a) ^ __builtin_bswap32((u32)b) ^ __builtin_bswap16((u16)b);
}
CASE(bit_reverse)
{
    return __builtin_bitreverse64(a) ^ __builtin_bitreverse32((u32)b) ^ __builtin_bitreverse8((u8)b);
}
CASE(rotate_left)
{
    return a << (b & 63) | a >> (-b & 63);
}
CASE(rotate_right)
{
    return __builtin_rotateright32((u32)a, (u32)b) + __builtin_rotateleft16((u16)a, (u16)b);
}
CASE(round_up_power)
{
    u32 v = (u32)a - 1;
    v |= v >> 1, v |= v >> 2, v |= v >> 4, v |= v >> 8, v |= v >> 16;
    return v + 1;
}
CASE(average)
{
    return (a & b) + ((a ^ b) >> 1);
}
CASE(sign_of)
{
    return (u64)(((i64)a > 0) - ((i64)a < 0));
}
CASE(least_of)
{
    return (i64)a < (i64)b ? a : b;
}
CASE(largest_of)
{
    return (u32)a > (u32)b ? (u32)a : (u32)b;
}
CASE(magnitude)
{
    return (u64)__builtin_llabs((i64)(a >> 1)) + (u64)__builtin_abs((i32)b / 2);
}
CASE(saturated)
{
    u32 s = (u32)a + (u32)b;
    return s < (u32)a ? 0xffffffffu : s;
}

/* ---- floating point ---- */

#define FLOATING(T, from, fold)                                                                              \
    CASE(T##_add)                                                                                            \
    {                                                                                                        \
        return fold((T)(from(a) + from(b)));                                                                 \
    }                                                                                                        \
    CASE(T##_sub)                                                                                            \
    {                                                                                                        \
        return fold((T)(from(a) - from(b)));                                                                 \
    }                                                                                                        \
    CASE(T##_mul)                                                                                            \
    {                                                                                                        \
        return fold((T)(from(a) * from(b)));                                                                 \
    }                                                                                                        \
    CASE(T##_div)                                                                                            \
    {                                                                                                        \
        return fold((T)(from(a) / from(b)));                                                                 \
    }                                                                                                        \
    CASE(T##_negate)                                                                                         \
    {                                                                                                        \
        return fold(-from(a));                                                                               \
    }                                                                                                        \
    CASE(T##_compare)                                                                                        \
    {                                                                                                        \
        T x = from(a), y = from(b);                                                                          \
        return (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5 |      \
               (u64)__builtin_isunordered(x, y) << 6 | (u64)__builtin_islessgreater(x, y) << 7 |             \
               (u64) !(x < y) << 8 | (u64) !(x >= y) << 9;                                                   \
    }                                                                                                        \
    CASE(T##_from_int)                                                                                       \
    {                                                                                                        \
        return fold((T)(i64)a) + fold((T)b) + fold((T)(i32)a) + fold((T)(u8)b);                              \
    }                                                                                                        \
    CASE(T##_to_int)                                                                                         \
    {                                                                                                        \
        T x = from(a), y = from(b);                                                                          \
        u64 r = x > -2e9f && x < 2e9f ? (u64)(i32)x : 5;                                                     \
        return r + (y > 0 && y < 1e19f ? (u64)y : 9);                                                        \
    }                                                                                                        \
    CASE(T##_select)                                                                                         \
    {                                                                                                        \
        return fold(from(a) < from(b) ? from(a) : from(b));                                                  \
    }                                                                                                        \
    CASE(T##_memory)                                                                                         \
    {                                                                                                        \
        T *q = (T *)p;                                                                                       \
        q[1] = (T)(i32)a;                                                                                    \
        q[2] = q[1] * 3;                                                                                     \
        return fold(q[2]);                                                                                   \
    }                                                                                                        \
    CASE(T##_sum)                                                                                            \
    {                                                                                                        \
        T s = 0;                                                                                             \
        for (u32 i = 0; i < a % 20; i++)                                                                     \
            s += (T)(i32)(b >> i) * (T)0.25;                                                                 \
        return fold(s);                                                                                      \
    }
FLOATING(float, float_of, bits_of_float)
FLOATING(double, double_of, bits_of)
CASE(float_to_double)
{
    return bits_of((double)float_of(a) * 1.5);
}
CASE(double_to_float)
{
    return bits_of_float((float)double_of(a));
}
CASE(double_round)
{
    double x = double_of(a);
    return bits_of(__builtin_floor(x)) ^ bits_of(__builtin_ceil(x)) ^ bits_of(__builtin_trunc(x)) ^
           bits_of(__builtin_rint(x)) ^ bits_of(__builtin_nearbyint(x)) * 3 ^ bits_of(__builtin_round(x));
}
CASE(double_sign)
{
    return bits_of(__builtin_copysign(double_of(a), double_of(b))) ^ bits_of(__builtin_fabs(double_of(a)));
}
CASE(float_sign)
{
    return bits_of_float(__builtin_copysignf(float_of(a), float_of(b))) ^
           bits_of_float(__builtin_fabsf(float_of(a)));
}
CASE(double_class)
{
    double x = double_of(a);
    return (u64)__builtin_isnan(x) | (u64) !!__builtin_isinf(x) << 1 | (u64)__builtin_isfinite(x) << 2 |
           (u64)__builtin_isnormal(x) << 3 | (u64) !!__builtin_signbit(x) << 4;
}
CASE(double_polynomial)
{
    double x = (double)(i32)a / 65536.0, y = (double)(i16)b;
    return bits_of(((x * 0.5 - y) * x + 3.25) * x - 1e-3);
}
CASE(float_scale)
{
    return bits_of_float((float)(u32)a * 0x1p-20f + (float)(i8)b);
}
CASE(float_max)
{
    float x = float_of(a), y = float_of(b);
    return bits_of_float(x > y ? x : y);
}
CASE(newton)
{
    double x = (double)(u32)a + 1, r = x;
    for (int i = 0; i < 12; i++)
        r = 0.5 * (r + x / r);
    return bits_of(r);
}
#ifdef LONG_DOUBLE
CASE(long_double_mix)
{
    long double x = (long double)(i64)a, y = (long double)double_of(b);
    long double r = x / 3 + y * 2 - x;
    return bits_of((double)r) ^ (u64)(x < y) ^ (u64)(r == x) << 1;
}
CASE(long_double_round)
{
    long double x = (long double)a * 0.1L;
    return (u64)(x / 1000) + bits_of_float((float)x);
}
#endif

/* ---- vectors ---- */

typedef i32 v4i32 __attribute__((vector_size(16)));
typedef u32 v4u32 __attribute__((vector_size(16)));
typedef i8 v16i8 __attribute__((vector_size(16)));
typedef u16 v8u16 __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef u64 v2u64 __attribute__((vector_size(16)));
typedef u64 v8u64 __attribute__((vector_size(64)));
typedef u32 v3u32 __attribute__((ext_vector_type(3)));

static u64 fold4(v4i32 v)
{
    return (u32)v[0] ^ (u64)(u32)v[1] << 8 ^ (u64)(u32)v[2] << 16 ^ (u64)(u32)v[3] << 32;
}

static v4i32 vector_of(u64 a, u64 b)
{
    return (v4i32){(i32)a, (i32)(a >> 32), (i32)b, (i32)(b >> 32)};
}

CASE(vector_add)
{
    return fold4(vector_of(a, b) + vector_of(b, a) * 3);
}
CASE(vector_divide)
{
    v4i32 d = vector_of(b, a) | 1;
    return fold4(vector_of(a, b) / (d & 0x7fffffff)) ^ fold4(vector_of(a, b) % ((d & 0xffff) | 1));
}
CASE(vector_shift)
{
    return fold4((vector_of(a, b) << (vector_of(b, a) & 31)) >> 3);
}
CASE(vector_logical_shift)
{
    return fold4((v4i32)((v4u32)vector_of(a, b) >> ((v4u32)vector_of(b, a) & 31)));
}
CASE(vector_compare)
{
    return fold4(vector_of(a, b) < vector_of(b, a)) ^ fold4((vector_of(a, b) == (i32)a) & 5);
}
CASE(vector_choose)
{
    v4i32 x = vector_of(a, b), y = vector_of(b, a), m = x > y;
    return fold4((x & m) | (y & ~m));
}
CASE(vector_shuffle)
{
    v4i32 x = vector_of(a, b), y = vector_of(b, ~a);
    return fold4(__builtin_shufflevector(x, y, 3, 0, 6, 5)) ^
           fold4(__builtin_shufflevector(x, x, 0, 0, 2, 2));
}
CASE(vector_element)
{
    v4i32 x = vector_of(a, b);
    x[b % 4] = (i32)a;
    return (u32)x[a % 4] ^ fold4(x);
}
CASE(vector_bytes)
{
    v16i8 x = (v16i8)(v2u64){a, b}, y = (v16i8)(v2u64){b, a};
    v2u64 r = (v2u64)(x + y * 5);
    return r[0] ^ r[1] * 3;
}
CASE(vector_words)
{
    v8u16 x = (v8u16)(v2u64){a, b};
    v2u64 r = (v2u64)(x / ((v8u16)(v2u64){b, a} | 1));
    return r[0] ^ r[1] * 7;
}
CASE(vector_float)
{
    v4f x = __builtin_convertvector(vector_of(a, b), v4f), y = x * 0.5f - 3.0f;
    v4i32 c = x < y;
    return fold4(c) ^ bits_of_float(y[0] + y[1]) ^ bits_of_float(y[2] / y[3]);
}
CASE(vector_double)
{
    v2d x = {(double)(i32)a, (double)(i32)b}, y = {2.5, -0.5};
    v2d r = x * y + x / (y + 7.0);
    return bits_of(r[0]) ^ bits_of(r[1]);
}
CASE(vector_wide)
{
    v8u64 x = {a, b, a + 1, b + 1, a ^ b, a & b, a | b, 9}, y = x * x + a;
    u64 s = 0;
    for (int i = 0; i < 8; i++)
        s = s * 31 + y[i];
    return s;
}
CASE(vector_three)
{
    v3u32 x = {(u32)a, (u32)b, (u32)(a >> 32)}, y = x.zxy + x;
    return y.x ^ (u64)y.y << 16 ^ (u64)y.z << 32;
}
CASE(vector_memory)
{
    v2u64 *q = (v2u64 *)(void *)p;
    v2u64 x;
    __builtin_memcpy(&x, q, sizeof x);
    x += (v2u64){a, b};
    __builtin_memcpy(q + 1, &x, sizeof x);
    return x[0] - x[1];
}
CASE(loop_sum)
{
    u64 s = 0;
    for (int i = 0; i < 8; i++)
        s += p[i] * (u64)i;
    return s;
}
CASE(loop_bytes)
{
    const u8 *q = (const u8 *)p;
    u32 s = (u32)b;
    for (u32 i = 0; i < a % 65; i++)
        s += q[i];
    return s;
}
CASE(loop_copy)
{
    u32 *q = (u32 *)p;
    for (u32 i = 0; i < 8; i++)
        q[8 + i] = q[i] ^ (u32)a;
    return q[9];
}
CASE(loop_conditional)
{
    i32 *q = (i32 *)p;
    i32 s = 0;
    for (int i = 0; i < 16; i++)
        if (q[i] > (i32)a)
            s += q[i];
        else
            q[i] = (i32)b;
    return (u32)s;
}
CASE(loop_max)
{
    i16 *q = (i16 *)p, m = INT16_MIN;
    for (int i = 0; i < 32; i++)
        m = q[i] > m ? q[i] : m;
    return (u16)m;
}
CASE(loop_find)
{
    const u8 *q = (const u8 *)p;
    for (u32 i = 0; i < 64; i++)
        if (q[i] == (u8)a)
            return i;
    return 64;
}
CASE(loop_reverse)
{
    u8 *q = (u8 *)p;
    for (int i = 0, k = 63; i < k; i++, k--) {
        u8 swap = q[i];
        q[i] = q[k];
        q[k] = swap;
    }
    return q[0];
}
CASE(loop_crc)
{
    u32 crc = ~0u;
    const u8 *q = (const u8 *)p;
    for (u32 i = 0; i < 16; i++) {
        crc ^= q[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return crc ^ (u32)a;
}
CASE(loop_float)
{
    double s[4] = {0};
    for (int i = 0; i < 32; i++)
        s[i % 4] += (double)((i16 *)p)[i];
    return bits_of(s[0] * s[1] - s[2] / (s[3] + 1.5));
}

/* ---- aggregates ---- */

struct pair {
    u64 x, y;
};
struct mixed {
    u8 a;
    u32 b;
    u16 c[3];
    double d;
    struct {
        i8 e;
        u64 f;
    } g;
};
struct fields {
    u32 a : 3, b : 7;
    i32 c : 11;
    u64 d : 40;
    bool e : 1;
};
union pun {
    u64 u;
    u32 w[2];
    float f;
    u8 c[8];
};

static NOINLINE struct pair make_pair(u64 x, u64 y)
{
    return (struct pair){x + y, x - y};
}

static NOINLINE u64 pair_sum(struct pair s, struct pair t)
{
    return s.x * t.y - s.y * t.x;
}

static NOINLINE struct mixed make_mixed(u64 a, u64 b)
{
    return (struct mixed){(u8)a, (u32)b, {(u16)a, (u16)b, 7}, (double)(i32)a, {(i8)b, a ^ b}};
}

static NOINLINE u64 fold_mixed(struct mixed m)
{
    return m.a + m.b + m.c[0] * 2u + m.c[1] * 3u + m.c[2] + bits_of(m.d) + (u64)m.g.e + m.g.f;
}

CASE(struct_pair)
{
    return pair_sum(make_pair(a, b), make_pair(b, 3));
}
CASE(struct_mixed)
{
    return fold_mixed(make_mixed(a, b));
}
CASE(struct_copy)
{
    struct mixed m = make_mixed(a, b), n;
    n = m;
    n.c[a % 3] = 99;
    return fold_mixed(n) - fold_mixed(m);
}
CASE(struct_array)
{
    struct mixed m[3] = {{0}};
    m[a % 3] = make_mixed(a, b);
    m[b % 3].g.f++;
    return fold_mixed(m[0]) ^ fold_mixed(m[1]) * 3 ^ fold_mixed(m[2]) * 5;
}
CASE(bit_fields)
{
    struct fields f = {0};
    f.a = (u32)a & 7;
    f.b = (u32)b & 127;
    f.c = (i32)(a >> 3);
    f.d = b & 0xffffffffff;
    f.e = a > b;
    f.a += 3;
    return f.a + f.b + (u64)(i64)f.c + f.d + f.e;
}
CASE(union_pun)
{
    union pun x = {.u = a};
    x.w[1] += (u32)b;
    x.c[3] ^= 0x80;
    return x.u;
}
CASE(array_local)
{
    u16 t[40];
    for (u32 i = 0; i < 40; i++)
        t[i] = (u16)(i * a + b);
    return t[a % 40] + t[b % 40] * 3u;
}
CASE(array_two)
{
    u8 t[5][7];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 7; k++)
            t[i][k] = (u8)(i * 7 + k + (int)(a & 0xff));
    return t[a % 5][b % 7];
}
CASE(array_variable)
{
    u32 n = (u32)(a % 13) + 1;
    u32 t[n];
    for (u32 i = 0; i < n; i++)
        t[i] = i * (u32)b;
    return t[b % n];
}
CASE(array_variable_loop)
{
    u64 s = 0;
    for (u32 n = 1; n < a % 9 + 2; n++) {
        u8 t[n * 3];
        for (u32 i = 0; i < n * 3; i++)
            t[i] = (u8)(i + b);
        s = s * 7 + t[n];
    }
    return s;
}
CASE(aligned_local)
{
    _Alignas(64) u8 t[64];
    u8 u[3] = {1, 2, 3};
    for (u32 i = 0; i < 64; i++)
        t[i] = (u8)(a >> (i % 56)) + u[i % 3];
    return ((uintptr_t)t & 63) + t[b % 64];
}

/* ---- control ---- */

CASE(switch_dense)
{
    switch (a % 9) {
    case 0:
        return b;
    case 1:
        return b + 3;
    case 2:
        return b * 5;
    case 3:
        return ~b;
    case 4:
        b ^= 77; /* fall through */
    case 5:
        return b - 1;
    case 6:
        return b >> 3;
    default:
        return 1000;
    }
}
CASE(switch_sparse)
{
    switch ((u32)a & 0xff) {
    case 3:
        return 1;
    case 40:
    case 41:
    case 42:
        return 2;
    case 77:
        return b;
    case 200:
        return b + 1;
    case 255:
        return 6;
    }
    return (a & 0xff) < 128 ? 7 : 8;
}
CASE(switch_wide)
{
    switch (a & 3 ? a & 3 : b) {
    case 1:
        return 11;
    case 2:
        return 12;
    case 0x123456789abcdef:
        return 13;
    case UINT64_MAX:
        return 14;
    default:
        return 15;
    }
}
CASE(switch_lookup)
{
    switch (a % 6) {
    case 0:
        return 0x11;
    case 1:
        return 0x2222;
    case 2:
        return 0x333333;
    case 3:
        return 7;
    case 4:
        return 0x5555;
    default:
        return 0;
    }
}
CASE(greatest_common)
{
    u64 x = a, y = b;
    while (y) {
        u64 r = x % y;
        x = y;
        y = r;
    }
    return x;
}
CASE(collatz)
{
    u64 n = a % 1000 + 1, steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
CASE(swap_in_loop)
{
    u64 x = a, y = b;
    for (u32 i = 0; i < (a ^ b) % 11; i++) {
        u64 z = x;
        x = y;
        y = z;
    }
    return x * 3 + y;
}
CASE(nested_loops)
{
    u64 s = 0;
    for (u32 i = 0; i < a % 8; i++)
        for (u32 k = i; k < b % 8; k++) {
            if ((i ^ k) == 3)
                continue;
            if (s > 1000)
                goto out;
            s += i * k + 1;
        }
out:
    return s;
}
CASE(short_circuit)
{
    return (a & 1 && b & 2) || (a & 4 && !(b & 8)) ? a : b;
}
CASE(computed_goto)
{
    static void *const next[] = {&&one, &&two, &&three, &&end};
    u64 s = a;
    u32 n = 0;
    goto *next[b & 3];
one:
    s += 7;
    if (n++ < 5)
        goto *next[s & 3];
    goto end;
two:
    s *= 3;
    if (n++ < 5)
        goto *next[s >> 3 & 3];
    goto end;
three:
    s ^= b;
    if (n++ < 5)
        goto *next[s >> 5 & 3];
end:
    return s;
}
static NOINLINE u64 factorial(u64 n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}
CASE(recursion)
{
    return factorial(a % 20);
}
static NOINLINE u64 ackermann(u64 m, u64 n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
CASE(deep_recursion)
{
    return ackermann(a % 3, b % 4);
}
static NOINLINE u64 op_add(u64 x, u64 y)
{
    return x + y;
}
static NOINLINE u64 op_sub(u64 x, u64 y)
{
    return x - y;
}
static NOINLINE u64 op_mix(u64 x, u64 y)
{
    return x * 31 ^ y;
}
static u64 (*const operations[])(u64, u64) = {op_add, op_sub, op_mix};
CASE(function_pointer)
{
    return operations[a % 3](a, b);
}
static NOINLINE u64 twice(u64 (*f)(u64, u64), u64 x)
{
    return f(f(x, 1), x);
}
CASE(function_argument)
{
    return twice(a & 1 ? op_sub : op_mix, b);
}
static NOINLINE float mixed_arguments(i8 x, float y, u16 z, double w, bool v)
{
    return (float)x * y + (float)z - (float)w + (v ? 1.0f : 0.0f);
}
CASE(call_mixed)
{
    return bits_of_float(mixed_arguments((i8)a, (float)(i16)b, (u16)a, (double)(u8)b, a > b));
}
static NOINLINE v4i32 vector_call(v4i32 x, v4f y)
{
    return x + __builtin_convertvector(y, v4i32);
}
CASE(call_vector)
{
    return fold4(vector_call(vector_of(a, b), (v4f){1.5f, -2.5f, (float)(u8)a, (float)(i8)b}));
}
static NOINLINE void by_reference(u64 *x, u32 *y, u64 z)
{
    *x += z;
    *y = (u32)(*x >> 16);
}
CASE(call_reference)
{
    u64 x = a;
    u32 y = 5;
    by_reference(&x, &y, b);
    by_reference(p + 2, &y, x);
    return x + y;
}

/* ---- memory ---- */

CASE(copy_fixed)
{
    u8 t[37];
    __builtin_memcpy(t, p, sizeof t);
    __builtin_memset(t + 5, (int)a, 11);
    __builtin_memmove(t + 1, t, 30);
    return t[a % 37] * 256u + t[b % 37];
}
CASE(copy_variable)
{
    u8 t[64];
    __builtin_memset(t, 0x5a, 64);
    __builtin_memcpy(t + a % 16, p, b % 48);
    __builtin_memmove((u8 *)p + 3, t, a % 61);
    __builtin_memset(t, (int)b, a % 64);
    return t[b % 64];
}
CASE(copy_overlapping)
{
    __builtin_memmove(p + 1, p, 48);
    return p[2] ^ p[6];
}
CASE(pointer_difference)
{
    return (u64)((u16 *)p + a % 20 - ((u16 *)p + b % 20));
}
CASE(pointer_compare)
{
    u32 *x = (u32 *)p + a % 16, *y = (u32 *)p + b % 16;
    return (x < y) | (x == y) << 1 | (x != (u32 *)p) << 2;
}
CASE(pointer_negative)
{
    u64 *q = p + 7;
    q -= a % 8;
    return q[0] + q[-(i64)(7 - a % 8)];
}
CASE(unaligned)
{
    u32 x;
    __builtin_memcpy(&x, (u8 *)p + a % 60, 4);
    return x;
}
CASE(string_length)
{
    static const char *const text[] = {"", "a", "patch", "is this source patch in this binary?"};
    const char *s = text[a % 4];
    u64 n = 0;
    while (s[n])
        n++;
    return n * 256 + (u8)s[n / 2];
}
static const u32 primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
static const struct {
    const char *name;
    u16 code;
    const u32 *number;
} records[] = {{"zero", 10, primes + 3}, {"one", 11, primes}, {"two", 500, &primes[15]}};
CASE(constant_table)
{
    return primes[a % 16] * primes[b % 16];
}
CASE(constant_records)
{
    return (u8)records[a % 3].name[b % 3] + records[b % 3].code * *records[a % 3].number;
}
static u64 counter;
static u32 history[8] = {1, 2, 3};
static double ratio = 0.75;
CASE(global_variables)
{
    counter = a;
    for (u32 i = 0; i < 8; i++) {
        history[i] = (u32)counter;
        counter = counter * 5 + b;
    }
    ratio = 0.75;
    ratio *= (double)(u8)a;
    return counter ^ history[b % 8] ^ bits_of(ratio);
}
static NOINLINE u64 *where(u64 *x, u64 i)
{
    return i & 1 ? x : &counter;
}
CASE(global_pointer)
{
    counter = b;
    *where(p, a) += 17;
    return counter + p[0];
}

/* ---- volatile and atomic ---- */

static volatile u32 device;
CASE(volatile_access)
{
    device = (u32)a;
    device += 3;
    volatile u16 x = (u16)b;
    return device + x;
}
CASE(atomic_access)
{
    u32 *q = (u32 *)p;
    u64 s = __atomic_load_n(q, __ATOMIC_SEQ_CST);
    __atomic_store_n(q + 1, (u32)a, __ATOMIC_RELEASE);
    s = s * 3 + __atomic_fetch_add(q, (u32)b, __ATOMIC_RELAXED);
    s = s * 3 + __atomic_fetch_sub(q + 1, 7, __ATOMIC_ACQ_REL);
    s = s * 3 + __atomic_fetch_and(q + 2, (u32)a, __ATOMIC_SEQ_CST);
    s = s * 3 + __atomic_fetch_or(q + 3, (u32)b, __ATOMIC_SEQ_CST);
    s = s * 3 + __atomic_fetch_xor(q + 4, (u32)b, __ATOMIC_SEQ_CST);
    s = s * 3 + __atomic_fetch_nand(q + 5, (u32)b, __ATOMIC_SEQ_CST);
    s = s * 3 + __atomic_exchange_n(q + 6, (u32)a, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return s;
}
CASE(atomic_compare)
{
    u32 *q = (u32 *)p, expected = a & 1 ? *q : (u32)b;
    bool done = __atomic_compare_exchange_n(q, &expected, (u32)b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected + done;
}
CASE(atomic_extremes)
{
    i32 *q = (i32 *)p;
    return (u32)__atomic_fetch_max(q, (i32)a, __ATOMIC_SEQ_CST) +
           (u64)(u32)__atomic_fetch_min(q + 1, (i32)b, __ATOMIC_SEQ_CST) +
           __atomic_fetch_max((u32 *)p + 2, (u32)a, __ATOMIC_SEQ_CST);
}

/* ---- integers of odd widths ---- */

#define ODD(T, name, bits)                                                                                   \
    CASE(name##_arithmetic)                                                                                  \
    {                                                                                                        \
        T x = (T)a, y = (T)b;                                                                                \
        return (u64)(T)(x * y + (x ^ y)) + (u64)(T)(x - y) * 3;                                              \
    }                                                                                                        \
    CASE(name##_divide)                                                                                      \
    {                                                                                                        \
        T x = (T)a, y = (T)b;                                                                                \
        return y == 0 || y == (T)-1 ? 3 : (u64)(T)(x / y) + (u64)(T)(x % y);                                 \
    }                                                                                                        \
    CASE(name##_shift)                                                                                       \
    {                                                                                                        \
        T x = (T)a;                                                                                          \
        return (u64)(T)(x << (T)(b % (bits - 1))) ^ (u64)(x >> (T)(a % (bits - 1)));                         \
    }                                                                                                        \
    CASE(name##_compare)                                                                                     \
    {                                                                                                        \
        return ((T)a < (T)b) | ((T)a == (T)b) << 1 | ((T)a >= (T)(b + 1)) << 2;                              \
    }                                                                                                        \
    CASE(name##_memory)                                                                                      \
    {                                                                                                        \
        T t[3] = {(T)a, (T)b, (T)(a ^ b)};                                                                   \
        return (u64)t[a % 3] * 5 + (u64)t[b % 3];                                                            \
    }
ODD(_BitInt(7), odd7, 7)
ODD(unsigned _BitInt(13), odd13, 13)
ODD(_BitInt(33), odd33, 33)
ODD(unsigned _BitInt(47), odd47, 47)
ODD(_BitInt(61), odd61, 61)
#ifdef __SIZEOF_INT128__
ODD(_BitInt(100), odd100, 100)
#endif
