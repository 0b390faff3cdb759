/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A64 encodings; see generate_arm.c for the notation. */
#include <stddef.h>

#include "generate.h"

const char *const patterns_arm64[] = {
    /* data processing, immediate */
    "x 00 10001 0 x iiiiiiiiiiii nnnnn ddddd", "x 01 10001 0 x iiiiiiiiiiii nnnnn ddddd", "x 10 10001 0 x iiiiiiiiiiii nnnnn ddddd", "x 11 10001 0 x iiiiiiiiiiii nnnnn ddddd", "x 11 10001 0 x iiiiiiiiiiii nnnnn 11111",
    "0 xx 100100 0 iiiiii iiiiii nnnnn ddddd", "1 xx 100100 x iiiiii iiiiii nnnnn ddddd", "0 00 100101 0 x iiiiiiiiiiiiiiii ddddd", "0 1x 100101 0 x iiiiiiiiiiiiiiii ddddd", "1 00 100101 xx iiiiiiiiiiiiiiii ddddd", "1 1x 100101 xx iiiiiiiiiiiiiiii ddddd",
    "0 xx 100110 0 0iiiii 0iiiii nnnnn ddddd", "1 xx 100110 1 iiiiii iiiiii nnnnn ddddd", "0 00 100111 00 mmmmm 0iiiii nnnnn ddddd", "1 00 100111 10 mmmmm iiiiii nnnnn ddddd",
    /* data processing, register */
    "x xx 01010 tt x mmmmm 0iiiii nnnnn ddddd", "1 xx 01010 tt x mmmmm iiiiii nnnnn ddddd", "x xx 01011 00 0 mmmmm 0iiiii nnnnn ddddd", "x xx 01011 01 0 mmmmm 0iiiii nnnnn ddddd", "x xx 01011 10 0 mmmmm 0iiiii nnnnn ddddd", "1 xx 01011 0x 0 mmmmm iiiiii nnnnn ddddd",
    "x xx 01011 00 1 mmmmm ttt 0ii nnnnn ddddd", "x xx 01011 00 1 mmmmm ttt 100 nnnnn ddddd", "x xx 11010000 mmmmm 000000 nnnnn ddddd", "x x1 11010010 mmmmm cccc 0 0 nnnnn 0 iiii", "x x1 11010010 iiiii cccc 1 0 nnnnn 0 iiii",
    "x x0 11010100 mmmmm cccc 0 x nnnnn ddddd", "x 00 11011000 mmmmm x aaaaa nnnnn ddddd", "1 00 11011 x 01 mmmmm x aaaaa nnnnn ddddd", "1 00 11011 x 10 mmmmm 011111 nnnnn ddddd", "x 00 11010110 mmmmm 00001 x nnnnn ddddd", "x 00 11010110 mmmmm 0010 xx nnnnn ddddd",
    "x 10 11010110 00000 00000 x nnnnn ddddd", "0 10 11010110 00000 000010 nnnnn ddddd", "1 10 11010110 00000 00001 x nnnnn ddddd", "x 10 11010110 00000 00010 x nnnnn ddddd", "0 00 11010110 mmmmm 010 x 0 x nnnnn ddddd", "0 00 11010110 mmmmm 010 x 10 nnnnn ddddd", "1 00 11010110 mmmmm 010 x 11 nnnnn ddddd",
    "1101 0101 0011 1011 0100 0010 000 ddddd",
    /* loads and stores */
    "1x 111 0 01 00 0000 0iiiiiii BBBBB nnnnn", "1x 111 0 01 01 0000 0iiiiiii BBBBB ddddd", "00 111 0 01 00 0000 iiiiiiii BBBBB nnnnn", "00 111 0 01 x1 0000 iiiiiiii BBBBB ddddd", "00 111 0 01 1x 0000 iiiiiiii BBBBB ddddd", "01 111 0 01 x1 0000 0iiiiiii BBBBB ddddd", "01 111 0 01 1x 0000 0iiiiiii BBBBB ddddd", "01 111 0 01 00 0000 iiiiiiii BBBBB nnnnn", "10 111 0 01 10 0000 0iiiiiii BBBBB ddddd",
    "xx 111 0 00 01 0 iiiiiiiii 00 BBBBB ddddd", "xx 111 0 00 00 0 iiiiiiiii 00 BBBBB nnnnn", "xx 111 0 00 01 0 000iiiiii x1 BBBBB ddddd", "xx 111 0 00 00 0 000iiiiii x1 BBBBB ddddd", "xx 111 0 00 01 1 IIIII x1 x x 10 BBBBB ddddd", "xx 111 0 00 00 1 IIIII x1 x x 10 BBBBB nnnnn", "10 111 0 00 10 1 IIIII x1 x x 10 BBBBB ddddd",
    "x0 101 0 010 1 0iiiiii 00101 BBBBB 00100", "x0 101 0 01 0 0 0iiiiii nnnnn BBBBB ddddd", "x0 101 0 011 1 000iiii 00101 BBBBB 00100", "x0 101 0 001 1 000iiii 00101 BBBBB 00100", "01 101 0 010 1 0iiiiii 00101 BBBBB 00100",
    "1x 001000 010 11111 0 11111 BBBBB ddddd", "xx 001000 110 11111 1 11111 BBBBB ddddd", "xx 001000 100 11111 1 11111 BBBBB nnnnn",
    "xx 111 0 00 xx1 nnnnn 0 000 00 BBBBB ddddd", "xx 111 0 00 xx1 nnnnn 0 xxx 00 BBBBB ddddd", "xx 111 0 00 xx1 nnnnn 1 000 00 BBBBB ddddd", "xx 001000 1x1 00101 x 11111 BBBBB 00100",
    /* vector loads and stores */
    "xx 111 1 01 0x 0000 00iiiiii BBBBB VVVVV", "00 111 1 01 1x 0000 00iiiiii BBBBB VVVVV", "xx 111 1 00 01 0 iiiiiiiii 00 BBBBB VVVVV", "00 111 1 00 1x 0 iiiiiiiii 00 BBBBB VVVVV", "00 101 1 01 0 x 00iiiii UUUUU BBBBB 00100", "01 101 1 01 0 x 00iiiii UUUUU BBBBB 00100", "10 101 1 01 0 x 00iiiii UUUUU BBBBB 00100",
    "0 x 0011000 x 000000 0111 xx BBBBB VVVVV", "0 x 0011000 x 000000 1000 xx BBBBB VVVVV", "0 x 0011000 x 000000 0100 xx BBBBB VVVVV", "0 x 0011000 x 000000 0000 xx BBBBB VVVVV", "0 x 0011000 x 000000 1010 xx BBBBB VVVVV", "0 x 001101010 00000 1100 xx BBBBB VVVVV", "0 x 0011010 x 0 00000 000 xxx BBBBB VVVVV", "0 x 0011010 x 0 00000 100 x00 BBBBB VVVVV",
    /* scalar floating point */
    "000 11110 0x 1 TTTTT 0000 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 0001 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 0010 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 0011 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 010 x 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 011 x 10 UUUUU VVVVV", "000 11110 0x 1 TTTTT 1000 10 UUUUU VVVVV",
    "000 11110 0x 1 0000 xx 10000 UUUUU VVVVV", "000 11110 00 1 000101 10000 UUUUU VVVVV", "000 11110 01 1 000100 10000 UUUUU VVVVV", "000 11110 11 1 00010x 10000 UUUUU VVVVV", "000 11110 0x 1 000111 10000 UUUUU VVVVV", "000 11110 0x 1 001 00x 10000 UUUUU VVVVV", "000 11110 0x 1 001 01x 10000 UUUUU VVVVV", "000 11110 0x 1 001 100 10000 UUUUU VVVVV", "000 11110 0x 1 001 11x 10000 UUUUU VVVVV",
    "000 11110 0x 1 TTTTT 00 1000 UUUUU x x 000", "000 11110 0x 1 TTTTT cccc 01 UUUUU x iiii", "000 11110 0x 1 TTTTT cccc 11 UUUUU VVVVV", "000 11110 0x 1 iiiiiiii 100 00000 VVVVV", "000 11111 0x x TTTTT x aaaaa UUUUU VVVVV", "x 00 11110 0x 1 xx 00x 000000 UUUUU ddddd", "x 00 11110 0x 1 00 01x 000000 nnnnn VVVVV", "x 00 11110 0x 1 00 10x 000000 UUUUU ddddd",
    "0 00 11110 00 1 00 11x 000000 nnnnn VVVVV", "1 00 11110 01 1 00 110 000000 UUUUU ddddd", "x 00 11110 0x 0 11 00x iiiiii UUUUU ddddd", "x 00 11110 0x 0 00 01x iiiiii nnnnn VVVVV",
    /* vector integer, three same */
    "0 x x 01110 xx 1 TTTTT 0000 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0000 11 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0001 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0001 11 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0010 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0010 11 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0011 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0011 11 UUUUU VVVVV",
    "0 x x 01110 xx 1 TTTTT 0100 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0100 11 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0101 01 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0101 11 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0110 x1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 0111 x1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 1000 x1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 1001 x1 UUUUU VVVVV",
    "0 x x 01110 xx 1 TTTTT 1010 x1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 1011 x1 UUUUU VVVVV", "01 x 11110 xx 1 TTTTT xxxx x1 UUUUU VVVVV",
    /* two registers, across lanes, permutes, copies, table */
    "0 x x 01110 xx 1 0000 00000 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00001 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00010 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00100 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00101 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00111 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 010xx 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 01011 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00110 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 00011 10 UUUUU VVVVV",
    "0 x x 01110 xx 1 0000 10010 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 10100 10 UUUUU VVVVV", "0 x 1 01110 xx 1 0000 10011 10 UUUUU VVVVV", "0 x x 01110 xx 1 1000 00011 10 UUUUU VVVVV", "0 x x 01110 xx 1 1000 x1010 10 UUUUU VVVVV", "0 x 0 01110 xx 1 1000 11011 10 UUUUU VVVVV", "0 x 0 01110 xx 0 TTTTT 0 xxx 10 UUUUU VVVVV",
    "0 x 1 01110 00 0 TTTTT 0 0iii 0 UUUUU VVVVV", "0 x 0 01110 00 0 iiiii 0 0000 1 UUUUU VVVVV", "0 x 0 01110 00 0 iiiii 0 0001 1 nnnnn VVVVV", "0 1 0 01110 00 0 iiiii 0 0011 1 nnnnn VVVVV", "0 x 0 01110 00 0 iiiii 0 0111 1 UUUUU ddddd", "0 x 0 01110 00 0 iiiii 0 0101 1 UUUUU ddddd", "0 1 1 01110 00 0 iiiii 0 iiii 1 UUUUU VVVVV", "0 x 0 01110 00 0 TTTTT 0 0 x x 00 UUUUU VVVVV",
    /* three different, shifts by immediate, immediates, scalar and by element */
    "0 x x 01110 xx 1 TTTTT 00 xx 00 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 01 xx 00 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 10 x0 00 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 1100 00 UUUUU VVVVV", "0 x 0 01110 xx 1 TTTTT 10 x1 00 UUUUU VVVVV", "0 x 0 01110 00 1 TTTTT 1110 00 UUUUU VVVVV",
    "0 x x 011110 0iii iii 00 xxx 1 UUUUU VVVVV", "0 1 x 011110 1iii iii 00 xxx 1 UUUUU VVVVV", "0 x x 011110 0iii iii 01 x10 1 UUUUU VVVVV", "0 1 x 011110 1iii iii 01 x10 1 UUUUU VVVVV", "0 x x 011110 0iii iii 100 xx 1 UUUUU VVVVV", "0 x x 011110 0iii iii 101 00 1 UUUUU VVVVV", "0 x x 0111100000 iii xxx 001 iiiii VVVVV", "0 x x 0111100000 iii xxx x01 iiiii VVVVV", "01 x 111110 1iii iii 00 xx0 1 UUUUU VVVVV", "01 x 111110 1iii iii 0 1010 1 UUUUU VVVVV",
    "0 x x 01111 01 x x TTTT 00 x 0 x 0 UUUUU VVVVV", "0 x x 01111 10 x x TTTT 10 x 0 x 0 UUUUU VVVVV", "0 x x 01111 10 x x TTTT 11 0 0 x 0 UUUUU VVVVV",
    /* vector floating point */
    "0 x x 01110 xx 1 TTTTT 11010 1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 11100 1 UUUUU VVVVV", "0 x x 01110 xx 1 TTTTT 11110 1 UUUUU VVVVV", "0 x 1 01110 0x 1 TTTTT 11011 1 UUUUU VVVVV", "0 x 0 01110 xx 1 TTTTT 11001 1 UUUUU VVVVV", "0 x 1 01110 0x 1 TTTTT 11111 1 UUUUU VVVVV", "0 x x 01110 1x 1 0000 01111 10 UUUUU VVVVV", "0 x 1 01110 1x 1 0000 11111 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 110xx 10 UUUUU VVVVV", "0 x x 01110 xx 1 0000 11011 10 UUUUU VVVVV", "0 x x 01110 1x 1 0000 011 xx 10 UUUUU VVVVV", "0 x 0 01110 0x 1 0000 1011x 10 UUUUU VVVVV", "0 x x 01111 1x x x TTTT 10 01 x 0 UUUUU VVVVV",
    "0 x x 01110 xx 1 TTTTT 11000 1 UUUUU VVVVV", "0 1 1 01110 x0 1 1000 01100 10 UUUUU VVVVV", "0 1 1 01110 x0 1 1000 01111 10 UUUUU VVVVV", "01 1 11110 xx 1 1000 01100 10 UUUUU VVVVV", "01 1 11110 xx 1 1000 01111 10 UUUUU VVVVV", "01 1 11110 0x 1 1000 01101 10 UUUUU VVVVV", "01 x 11110 0x 1 0000 11100 10 UUUUU VVVVV", "01 x 11110 xx 1 0000 1101x 10 UUUUU VVVVV",
    /* half precision */
    "000 11110 11 1 TTTTT 0010 10 UUUUU VVVVV", "000 11110 11 1 0000 xx 10000 UUUUU VVVVV", "000 11110 11 1 TTTTT 00 1000 UUUUU x x 000", "0 x x 01110 010 TTTTT 0001 01 UUUUU VVVVV", "0 x x 01110 x10 TTTTT 0010 x1 UUUUU VVVVV",
    /* cryptography */
    "0100 1110 0010 1000 0 xx x 10 UUUUU VVVVV", "0100 1110 0010 1000 01 xx 10 UUUUU VVVVV", "0101 1110 000 TTTTT 0 xxx 00 UUUUU VVVVV", "0101 1110 0010 1000 00 xx 10 UUUUU VVVVV",
    NULL};
