; SPDX-License-Identifier: GPL-3.0-or-later
; A big-endian layout: memory is turned round where it is accessed.
target datalayout = "E-m:e-i64:64-n32:64-S128"
target triple = "powerpc64-unknown-linux-gnu"

@table = internal constant [2 x i16] [i16 258, i16 772]

define i32 @first_byte(i32 %x) {
  %p = alloca i32
  store i32 %x, ptr %p
  %b = load i8, ptr %p
  %w = zext i8 %b to i32
  ret i32 %w
}

define i16 @entry() {
  %p = getelementptr [2 x i16], ptr @table, i64 0, i64 1
  %r = load i16, ptr %p
  ret i16 %r
}
