/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A32 encodings; see generate_arm.c for the notation. */
#include <stddef.h>

#include "generate.h"

const char *const patterns_arm[] = {
    /* data processing: register, shifted register, immediate */
    "cccc 000 0000 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 0001 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 0010 x nnnn dddd iiiii tt 0 mmmm",
    "cccc 000 0011 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 0100 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 0101 x nnnn dddd iiiii tt 0 mmmm",
    "cccc 000 0110 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 0111 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 1100 x nnnn dddd iiiii tt 0 mmmm",
    "cccc 000 1110 x nnnn dddd iiiii tt 0 mmmm", "cccc 000 1000 1 nnnn 0000 iiiii tt 0 mmmm", "cccc 000 1001 1 nnnn 0000 iiiii tt 0 mmmm",
    "cccc 000 1010 1 nnnn 0000 iiiii tt 0 mmmm", "cccc 000 1011 1 nnnn 0000 iiiii tt 0 mmmm", "cccc 000 1101 x 0000 dddd iiiii tt 0 mmmm",
    "cccc 000 1111 x 0000 dddd iiiii tt 0 mmmm",
    "cccc 000 0000 x nnnn dddd aaaa 0 tt 1 mmmm", "cccc 000 0010 x nnnn dddd aaaa 0 tt 1 mmmm", "cccc 000 0100 x nnnn dddd aaaa 0 tt 1 mmmm",
    "cccc 000 0101 x nnnn dddd aaaa 0 tt 1 mmmm", "cccc 000 1100 x nnnn dddd aaaa 0 tt 1 mmmm", "cccc 000 1101 x 0000 dddd aaaa 0 tt 1 mmmm",
    "cccc 000 1111 x 0000 dddd aaaa 0 tt 1 mmmm", "cccc 000 1010 1 nnnn 0000 aaaa 0 tt 1 mmmm", "cccc 000 1000 1 nnnn 0000 aaaa 0 tt 1 mmmm",
    "cccc 001 0000 x nnnn dddd iiiiiiiiiiii", "cccc 001 0001 x nnnn dddd iiiiiiiiiiii", "cccc 001 0010 x nnnn dddd iiiiiiiiiiii",
    "cccc 001 0011 x nnnn dddd iiiiiiiiiiii", "cccc 001 0100 x nnnn dddd iiiiiiiiiiii", "cccc 001 0101 x nnnn dddd iiiiiiiiiiii",
    "cccc 001 0110 x nnnn dddd iiiiiiiiiiii", "cccc 001 0111 x nnnn dddd iiiiiiiiiiii", "cccc 001 1000 1 nnnn 0000 iiiiiiiiiiii",
    "cccc 001 1010 1 nnnn 0000 iiiiiiiiiiii", "cccc 001 1100 x nnnn dddd iiiiiiiiiiii", "cccc 001 1101 x 0000 dddd iiiiiiiiiiii",
    "cccc 001 1110 x nnnn dddd iiiiiiiiiiii", "cccc 001 1111 x 0000 dddd iiiiiiiiiiii", "cccc 0011 0000 iiii dddd iiiiiiiiiiii", "cccc 0011 0100 iiii dddd iiiiiiiiiiii",
    /* multiply */
    "cccc 0000000 x dddd 0000 mmmm 1001 nnnn", "cccc 0000001 x dddd aaaa mmmm 1001 nnnn", "cccc 00000110 dddd aaaa mmmm 1001 nnnn",
    "1110 0000100 x 0000 0010 mmmm 1001 nnnn", "1110 0000101 x 0011 0100 mmmm 1001 nnnn", "1110 0000110 x 0001 0010 mmmm 1001 nnnn", "1110 0000111 x 1000 1010 mmmm 1001 nnnn",
    "1110 00000100 0000 0010 mmmm 1001 nnnn", "cccc 00010000 dddd aaaa mmmm 1 x x 0 nnnn", "cccc 00010010 dddd aaaa mmmm 1 x 00 nnnn", "cccc 00010010 dddd 0000 mmmm 1 x 10 nnnn",
    "cccc 00010110 dddd 0000 mmmm 1 x x 0 nnnn", "cccc 01110000 dddd 1111 mmmm 00 x 1 nnnn", "cccc 01110000 dddd 1111 mmmm 01 x 1 nnnn",
    "cccc 01110101 dddd 1111 mmmm 00 x 1 nnnn", "cccc 01110001 dddd 1111 mmmm 0001 nnnn", "cccc 01110011 dddd 1111 mmmm 0001 nnnn",
    /* saturating, parallel, extend, reverse, bits */
    "cccc 00010 xx 0 nnnn dddd 0000 0101 mmmm", "cccc 01100001 nnnn dddd 1111 xx 01 mmmm", "cccc 01100001 nnnn dddd 1111 1001 mmmm", "cccc 01100010 nnnn dddd 1111 0 xx 1 mmmm",
    "cccc 01100011 nnnn dddd 1111 0 xx 1 mmmm", "cccc 01100101 nnnn dddd 1111 0 xx 1 mmmm", "cccc 01100110 nnnn dddd 1111 0 xx 1 mmmm", "cccc 01100111 nnnn dddd 1111 0 xx 1 mmmm",
    "cccc 01101000 nnnn dddd 1111 1011 mmmm", "cccc 01101000 nnnn dddd iiiii x 01 mmmm",
    "cccc 0110101 iiiii dddd iiiii x 01 mmmm", "cccc 0110111 iiiii dddd iiiii x 01 mmmm", "cccc 01101010 iiii dddd 1111 0011 mmmm", "cccc 01101110 iiii dddd 1111 0011 mmmm",
    "cccc 01101010 1111 dddd xx 00 0111 mmmm", "cccc 01101011 1111 dddd xx 00 0111 mmmm", "cccc 01101110 1111 dddd xx 00 0111 mmmm", "cccc 01101111 1111 dddd xx 00 0111 mmmm",
    "cccc 01101000 1111 dddd xx 00 0111 mmmm", "cccc 01101100 1111 dddd xx 00 0111 mmmm", "cccc 01101010 nnnn dddd xx 00 0111 mmmm", "cccc 01101011 nnnn dddd xx 00 0111 mmmm",
    "cccc 01101110 nnnn dddd xx 00 0111 mmmm", "cccc 01101111 nnnn dddd xx 00 0111 mmmm",
    "cccc 01101011 1111 dddd 1111 0011 mmmm", "cccc 01101011 1111 dddd 1111 1011 mmmm", "cccc 01101111 1111 dddd 1111 0011 mmmm", "cccc 01101111 1111 dddd 1111 1011 mmmm",
    "cccc 00010110 1111 dddd 1111 0001 mmmm", "cccc 0111101 00111 dddd 00011 101 nnnn", "cccc 0111111 00111 dddd 00011 101 nnnn", "cccc 0111110 10110 dddd 00100 001 nnnn", "cccc 0111110 01110 dddd 00100 001 1111",
    "cccc 01111000 dddd 1111 mmmm 0001 nnnn", "cccc 01111000 dddd aaaa mmmm 0001 nnnn",
    "cccc 01101000 nnnn dddd iiiii 0 01 mmmm", "cccc 01101000 nnnn dddd iiiii 1 01 mmmm",
    /* loads and stores */
    "cccc 0101 x 0 x 1 BBBB dddd 0000 iiiiiiii", "cccc 0101 x x x 0 BBBB nnnn 0000 iiiiiiii", "cccc 0100 x 0 0 1 BBBB dddd 0000 0 iiiiiii", "cccc 0101 x 1 0 1 BBBB dddd 0000 iiiiiiii",
    "cccc 0111 x x 0 1 BBBB dddd 000 xx 00 0 IIII", "cccc 0111 x x 0 0 BBBB nnnn 000 xx 00 0 IIII",
    "cccc 0001 x 1 0 1 BBBB dddd iiii 1011 iiii", "cccc 0001 x 1 0 1 BBBB dddd iiii 1101 iiii", "cccc 0001 x 1 0 1 BBBB dddd iiii 1111 iiii", "cccc 0001 x 1 x 0 BBBB nnnn iiii 1011 iiii",
    "1110 0001 x 1 0 0 BBBB 0010 iiii 1101 i000", "1110 0001 x 1 0 0 BBBB 0010 iiii 1111 i000", "cccc 0001 x 0 0 1 BBBB dddd 0000 1011 IIII", "cccc 0001 x 0 0 0 BBBB nnnn 0000 1011 IIII",
    "cccc 100 10 0 0 1 BBBB 000 11 1 0 1 000 11111", "cccc 100 01 0 x 1 BBBB 000 1 1 1 0 1 000 11111", "cccc 100 xx 0 x 0 BBBB 000 11 1 0 1 000 11111", "cccc 100 xx 0 0 0 BBBB 00011101 00011111",
    "1110 0001 1001 BBBB dddd 1111 1001 1111", "1110 0001 0000 BBBB 0010 0000 1001 0011",
    /* VFP scalar: single and double */
    "cccc 11100 x 11 UUUU VVVV 1010 x x x 0 TTTT", "cccc 11100 x 11 UUUU VVVV 1011 x x x 0 TTTT", "cccc 11100 x 10 UUUU VVVV 1010 x x x 0 TTTT", "cccc 11100 x 10 UUUU VVVV 1011 x x x 0 TTTT",
    "cccc 11101 x 00 UUUU VVVV 1010 x 0 x 0 TTTT", "cccc 11101 x 00 UUUU VVVV 1011 x 0 x 0 TTTT", "cccc 11100 x 00 UUUU VVVV 1010 x x x 0 TTTT", "cccc 11100 x 01 UUUU VVVV 1011 x x x 0 TTTT",
    "cccc 11101 x 11 0000 VVVV 1010 x 1 x 0 TTTT", "cccc 11101 x 11 0000 VVVV 1011 11 x 0 TTTT", "cccc 11101 x 11 0001 VVVV 1010 01 x 0 TTTT", "cccc 11101 x 11 0001 VVVV 1011 11 x 0 TTTT",
    "cccc 11101 x 11 010 x VVVV 1010 x 1 x 0 TTTT", "cccc 11101 x 11 0111 VVVV 1010 11 x 0 TTTT", "cccc 11101 x 11 0111 VVVV 1011 11 x 0 TTTT", "cccc 11101 x 11 1000 VVVV 1010 x 1 x 0 TTTT",
    "cccc 11101 x 11 1000 VVVV 1011 x 1 x 0 TTTT", "cccc 11101 x 11 110 x VVVV 1010 11 x 0 TTTT", "cccc 11101 x 11 110 x VVVV 1011 11 x 0 TTTT", "cccc 11101 x 11 iiii VVVV 1010 0000 iiii", "cccc 11101 x 11 0101 VVVV 1011 x 100 0000",
    "cccc 1110 1111 0001 1111 1010 0001 0000", "cccc 11100000 VVVV nnnn 1010 x 001 0000", "cccc 11100001 VVVV dddd 1010 x 001 0000", "cccc 1101 x x 01 BBBB VVVV 101 x 00 iiiiii", "cccc 1101 x x 00 BBBB VVVV 101 x 00 iiiiii",
    "cccc 11101 x 10 UUUU VVVV 1010 x x x 0 TTTT", "cccc 11101 x 01 UUUU VVVV 1011 x x x 0 TTTT",
    /* NEON integer, three registers of the same length (D and Q forms) */
    
    "1111 001 x 0 0 xx UUUU VVVV 0001 00 x 0 TTTT", "1111 001 x 0 0 01 UUUU VVVV 0010 00 x 0 TTTT", "1111 001 x 0 0 xx UUUU VVVV 0000 00 x 1 TTTT", "1111 001 x 0 0 xx UUUU VVVV 0010 00 x 1 TTTT",
    "1111 001 x 0 0 xx UUUU VVVV 0001 00 x 1 TTTT", "1111 001 x 0 0 01 UUUU VVVV 0011 00 x x TTTT", "1111 001 x 0 0 10 UUUU VVVV 0100 00 x 0 TTTT", "1111 001 x 0 0 xx UUUU VVVV 0100 00 x 0 TTTT", "1111 001 x 0 0 xx UUUU VVVV 0100 00 x 1 TTTT",
    "1111 001 x 0 0 xx UUUU VVVV 0101 00 x 0 TTTT", "1111 001 x 0 0 xx UUUU VVVV 0101 00 x 1 TTTT", "1111 001 x 0 0 0x UUUU VVVV 0110 00 x x TTTT", "1111 001 x 0 0 10 UUUU VVVV 0111 00 x x TTTT", "1111 001 x 0 0 xx UUUU VVVV 1000 00 x 0 TTTT",
    "1111 001 x 0 0 0x UUUU VVVV 1000 00 x 1 TTTT", "1111 001 x 0 0 01 UUUU VVVV 1001 00 x 0 TTTT", "1111 0010 0 0 0x UUUU VVVV 1001 00 x 1 TTTT", "1111 001 x 0 0 0x UUUU VVVV 1010 00 x x TTTT", "1111 001 x 0 0 01 UUUU VVVV 1011 00 x 0 TTTT", "1111 0010 0 0 0x UUUU VVVV 1011 00 x 1 TTTT",
    
    /* NEON shifts by immediate, widening, narrowing */
    "1111 001 x 1 0 01 iiii VVVV 0000 00 x 1 TTTT", "1111 001 x 1 0 1i iiii VVVV 0000 00 x 1 TTTT", "1111 001 x 1 0 01 iiii VVVV 0001 00 x 1 TTTT", "1111 001 x 1 0 1i iiii VVVV 0010 00 x 1 TTTT", "1111 001 x 1 0 01 iiii VVVV 0011 00 x 1 TTTT",
    "1111 0011 1 0 1i iiii VVVV 0100 00 x 1 TTTT", "1111 001 x 1 0 01 iiii VVVV 0101 00 x 1 TTTT", "1111 001 x 1 0 1i iiii VVVV 0111 00 x 1 TTTT", "1111 0010 1 0 01 iiii VVVV 1000 00 x 1 VVV0", "1111 001 x 1 0 01 iiii VVVV 1001 00 x 1 VVV0", "1111 001 x 1 0 01 iiii VVV0 1010 00 x 1 TTTT",
    /* NEON two registers, miscellaneous, permutes, duplicates, long */
    "1111 0011 1 0 11 0000 VVVV 0 000 0 0 x 0 TTTT", "1111 0011 1 0 11 xx 00 VVVV 0 0010 0 x 0 TTTT", "1111 0011 1 0 11 0000 VVVV 0 1011 0 x 0 TTTT", "1111 0011 1 0 11 0000 VVVV 0 1010 0 x 0 TTTT", "1111 0011 1 0 11 01 00 VVVV 0 1000 0 x 0 TTTT", "1111 0011 1 0 11 01 00 VVVV 0 1001 0 x 0 TTTT",
    "1111 0011 1 0 11 10 01 VVVV 0 0110 0 x 0 TTTT", "1111 0011 1 0 11 10 01 VVVV 0 0111 0 x 0 TTTT", "1111 0011 1 0 11 01 01 VVVV 0 0000 0 x 0 TTTT", "1111 0011 1 0 11 00 10 VVV0 0 0000 0 0 0 TTT1", "1111 0011 1 0 11 01 10 VVV0 0 0001 0 0 0 TTT1", "1111 0011 1 0 11 01 10 VV00 0 0001 0 1 0 TT10", "1111 0011 1 0 11 00 10 VV00 0 0011 0 1 0 TT10", "1111 0011 1 0 11 0x 10 VVV0 0 0010 0 0 0 TTT1", "1111 0011 1 0 11 0x 10 VVV0 0 0011 0 0 0 TTT1",
    "1111 0011 1 0 11 xx 00 VVVV 0 0100 0 x 0 TTTT", "1111 0010 1 0 11 UUUU VVVV 0 iii 0 0 x 0 TTTT", "1111 0011 1 0 11 UUUU VVVV 10 00 x x x 0 TTTT", "1111 0011 1 0 11 xxx1 VVVV 1100 0 x x 0 TTTT",
    "1111 001 x 1 0 0x UUUU VVV0 0000 0 0 x 0 TTTT", "1111 001 x 1 0 0x UUUU VVV0 0111 0 0 x 0 TTTT", "1111 001 x 1 0 0x UUUU VVV0 1000 0 0 x 0 TTTT", "1111 001 x 1 0 0x UUUU VVV0 1100 0 0 x 0 TTTT",
    "1110 11101 x x 0 VVVV nnnn 1011 x 0 x 1 0000", "1110 11100 x x 0 VVVV nnnn 1011 x xx1 0000", "1110 1110 x xx1 VVVV dddd 1011 x xx1 0000", "1111 001 x 1 0 000 iii VVVV xxxx 0 x x 1 iiii",
    /* NEON floating point */
    "1111 0010 0 0 00 UUUU VVVV 1101 0 0 x 0 TTTT", "1111 0010 0 0 10 UUUU VVVV 1101 0 0 x 0 TTTT", "1111 0011 0 0 00 UUUU VVVV 1101 0 0 x 1 TTTT", "1111 001 x 0 0 00 UUUU VVVV 1110 0 0 x 0 TTTT", "1111 0011 0 0 10 UUUU VVVV 1110 0 0 x 0 TTTT", "1111 0010 0 0 x0 UUUU VVVV 1111 0 0 x 0 TTTT",
    "1111 0010 0 0 x0 UUUU VVVV 1100 0 0 x 1 TTTT",
    "1111 0011 1 0 11 10 11 VVVV 0 11 xx 0 x 0 TTTT",
    /* NEON structure loads and stores */
    "1111 0100 0 0 1 0 BBBB 000 0 0111 xx 00 1111", "1111 0100 0 0 0 0 BBBB 000 0 0111 xx 00 1101", "1111 0100 0 0 1 0 BBBB 001 0 1010 xx 00 1111", "1111 0100 0 0 1 0 BBBB 010 0 1000 0x 00 1111", "1111 0100 0 0 0 0 BBBB 010 0 1000 0x 00 1111", "1111 0100 0 0 1 0 BBBB 100 0 0000 0x 00 1111", "1111 0100 1 0 1 0 BBBB 010 0 1100 0x 0x 1111",
    NULL};
