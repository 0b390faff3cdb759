/* SPDX-License-Identifier: GPL-3.0-or-later */
/* T32 encodings of 16 and 32 bits; see generate_arm.c for the notation (l and b are low registers to write and
 * low pointer registers). */
#include <stddef.h>

#include "generate.h"

const char *const patterns_thumb[] = {
    /* 16 bits: shifts, add, subtract, move, compare */
    "000 00 iiiii mmm lll", "000 01 iiiii mmm lll", "000 10 iiiii mmm lll", "000110 0 mmm nnn lll", "000110 1 mmm nnn lll", "000111 0 iii nnn lll", "000111 1 iii nnn lll",
    "001 00 lll iiiiiiii", "001 01 nnn iiiiiiii", "001 10 lll iiiiiiii", "001 11 lll iiiiiiii",
    "010000 0000 mmm lll", "010000 0001 mmm lll", "010000 0010 mmm lll", "010000 0011 mmm lll", "010000 0100 mmm lll", "010000 0101 mmm lll", "010000 0110 mmm lll", "010000 0111 mmm lll",
    "010000 1000 mmm nnn", "010000 1001 mmm lll", "010000 1010 mmm nnn", "010000 1011 mmm nnn", "010000 1100 mmm lll", "010000 1101 mmm lll", "010000 1110 mmm lll", "010000 1111 mmm lll",
    "010001 00 0 mmmm lll", "010001 10 0 mmmm lll", "010001 10 1 0 mmm 100", "010001 01 0 1 0 mm nnn",
    "0101 000 III bbb nnn", "0101 001 III bbb nnn", "0101 010 III bbb nnn", "0101 011 III bbb lll", "0101 100 III bbb lll", "0101 101 III bbb lll", "0101 110 III bbb lll", "0101 111 III bbb lll",
    "0110 0 iiiii bbb nnn", "0110 1 iiiii bbb lll", "0111 0 iiiii bbb nnn", "0111 1 iiiii bbb lll", "1000 0 iiiii bbb nnn", "1000 1 iiiii bbb lll", "1001 0 nnn iiiiiiii", "1001 1 lll iiiiiiii", "1010 1 lll iiiiiiii",
    "10110000 0 00iiiii", "10110000 1 00iiiii", "10110010 00 mmm lll", "10110010 01 mmm lll", "10110010 10 mmm lll", "10110010 11 mmm lll", "10111010 00 mmm lll", "10111010 01 mmm lll", "10111010 11 mmm lll",
    "1011 0 10 0 000 11111", "1011 1 10 0 000 11111", "1100 0 bbb 000 11111", "1100 1 bbb 000 11111",
    /* 32 bits: data processing, modified immediate */
    "11110 i 0 0000 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 0001 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 0010 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 0010 x 1111 0 iii dddd iiiiiiii", "11110 i 0 0011 x nnnn 0 iii dddd iiiiiiii",
    "11110 i 0 0011 x 1111 0 iii dddd iiiiiiii", "11110 i 0 0100 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 1000 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 1010 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 1011 x nnnn 0 iii dddd iiiiiiii",
    "11110 i 0 1101 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 1110 x nnnn 0 iii dddd iiiiiiii", "11110 i 0 0000 1 nnnn 0 iii 1111 iiiiiiii", "11110 i 0 1101 1 nnnn 0 iii 1111 iiiiiiii", "11110 i 0 0100 1 nnnn 0 iii 1111 iiiiiiii", "11110 i 0 1000 1 nnnn 0 iii 1111 iiiiiiii",
    "11110 i 10 0000 nnnn 0 iii dddd iiiiiiii", "11110 i 10 1010 nnnn 0 iii dddd iiiiiiii", "11110 i 10 0100 iiii 0 iii dddd iiiiiiii", "11110 i 10 1100 iiii 0 iii dddd iiiiiiii",
    "11110 0 11 0100 nnnn 0 001 dddd 10 0 00111", "11110 0 11 1100 nnnn 0 001 dddd 10 0 00111", "11110 0 11 0110 nnnn 0 001 dddd 00 0 10111", "11110 0 11 0110 1111 0 001 dddd 00 0 10111",
    "11110 0 11 0000 nnnn 0 iii dddd ii 0 iiiii", "11110 0 11 1000 nnnn 0 iii dddd ii 0 iiiii", "11110 0 11 0010 nnnn 0 000 dddd 00 0 0iiii", "11110 0 11 1010 nnnn 0 000 dddd 00 0 0iiii",
    /* shifted register */
    "1110101 0000 x nnnn 0 iii dddd ii tt mmmm", "1110101 0001 x nnnn 0 iii dddd ii tt mmmm", "1110101 0010 x nnnn 0 iii dddd ii tt mmmm", "1110101 0010 x 1111 0 iii dddd ii tt mmmm", "1110101 0011 x nnnn 0 iii dddd ii tt mmmm", "1110101 0011 x 1111 0 iii dddd ii tt mmmm",
    "1110101 0100 x nnnn 0 iii dddd ii tt mmmm", "1110101 0110 0 nnnn 0 iii dddd ii x 0 mmmm", "1110101 1000 x nnnn 0 iii dddd ii tt mmmm", "1110101 1010 x nnnn 0 iii dddd ii tt mmmm", "1110101 1011 x nnnn 0 iii dddd ii tt mmmm", "1110101 1101 x nnnn 0 iii dddd ii tt mmmm", "1110101 1110 x nnnn 0 iii dddd ii tt mmmm",
    "1110101 1101 1 nnnn 0 iii 1111 ii tt mmmm", "1110101 0000 1 nnnn 0 iii 1111 ii tt mmmm", "1110101 1000 1 nnnn 0 iii 1111 ii tt mmmm",
    /* register-controlled shifts, extends, parallel, bits, multiply, divide */
    "11111010 0 tt x nnnn 1111 dddd 0000 mmmm", "11111010 0000 1111 1111 dddd 10 xx mmmm", "11111010 0001 1111 1111 dddd 10 xx mmmm", "11111010 0100 1111 1111 dddd 10 xx mmmm", "11111010 0101 1111 1111 dddd 10 xx mmmm", "11111010 0100 nnnn 1111 dddd 10 xx mmmm", "11111010 0001 nnnn 1111 dddd 10 xx mmmm",
    "11111010 1000 nnnn 1111 dddd 0 xxx mmmm", "11111010 1001 nnnn 1111 dddd 0 x xx mmmm", "11111010 1000 nnnn 1111 dddd 10 xx mmmm", "11111010 1010 nnnn 1111 dddd 1000 mmmm", "11111010 1100 nnnn 1111 dddd 0 x xx mmmm", "11111010 1101 nnnn 1111 dddd 0 x xx mmmm",
    "11111010 1001 rrrr 1111 dddd 1000 rrrr", "11111010 1001 rrrr 1111 dddd 1010 rrrr", "11111010 1011 rrrr 1111 dddd 1000 rrrr",
    "11111011 0000 nnnn 1111 dddd 0000 mmmm", "11111011 0000 nnnn aaaa dddd 0000 mmmm", "11111011 0000 nnnn aaaa dddd 0001 mmmm", "11111011 0001 nnnn 1111 dddd 00 xx mmmm", "11111011 0010 nnnn 1111 dddd 000 x mmmm", "11111011 0011 nnnn 1111 dddd 000 x mmmm", "11111011 0101 nnnn 1111 dddd 000 x mmmm", "11111011 0111 nnnn 1111 dddd 0000 mmmm",
    "11111011 1000 nnnn 0000 0010 0000 mmmm", "11111011 1010 nnnn 0000 0010 0000 mmmm", "11111011 1100 nnnn 0000 0010 0000 mmmm", "11111011 1110 nnnn 0000 0010 0000 mmmm", "11111011 1110 nnnn 0000 0010 0110 mmmm", "11111011 1001 nnnn 1111 dddd 1111 mmmm", "11111011 1011 nnnn 1111 dddd 1111 mmmm",
    /* loads and stores */
    "111110001101 BBBB dddd 0000 iiiiiiii", "111110001100 BBBB nnnn 0000 iiiiiiii", "111110001001 BBBB dddd 0000 iiiiiiii", "111110011001 BBBB dddd 0000 iiiiiiii", "111110001011 BBBB dddd 0000 iiiiiiii", "111110011011 BBBB dddd 0000 iiiiiiii", "111110001000 BBBB nnnn 0000 iiiiiiii", "111110001010 BBBB nnnn 0000 iiiiiiii",
    "111110000101 BBBB dddd 1100 iiiiiiii", "111110000101 BBBB dddd 10 x 1 00iiiiii", "111110000100 BBBB 0010 1 x x 1 00iiiiii", "111110000101 BBBB dddd 000000 xx 0101", "111110000100 BBBB nnnn 000000 xx 0101", "111110010001 BBBB dddd 000000 xx 0101",
    "1110100 1 x 1 0 1 BBBB 0000 0010 iiiiiiii", "1110100 1 x 1 0 0 BBBB nnnn 0010 iiiiiiii", "1110100 010 0 1 BBBB 0001 1101 00011111", "1110100 100 0 1 BBBB 0001 1101 00011111", "1110100 100 0 0 BBBB 0001 1101 00011111", "11101000 0101 BBBB dddd 1111 00000000",
    /* VFP and NEON through the Thumb encoding */
    "1110 11100 x 11 UUUU VVVV 1010 x x x 0 TTTT", "1110 11100 x 11 UUUU VVVV 1011 x x x 0 TTTT", "1110 11100 x 10 UUUU VVVV 1011 x x x 0 TTTT", "1110 11101 x 00 UUUU VVVV 1010 x 0 x 0 TTTT", "1110 11101 x 11 010 x VVVV 1010 x 1 x 0 TTTT", "1110 1110 1111 0001 1111 1010 0001 0000",
    "111 x 11110 0 xx UUUU VVVV 1000 00 x 0 TTTT", "111 x 11110 0 xx UUUU VVVV 0001 00 x 1 TTTT", "111 x 11110 0 xx UUUU VVVV 0010 00 x 1 TTTT", "111 x 11110 0 0x UUUU VVVV 0110 00 x x TTTT", "11111111 1 0 11 xx 00 VVVV 0 0010 0 x 0 TTTT",
    NULL};
