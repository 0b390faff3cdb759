; SPDX-License-Identifier: GPL-3.0-or-later
; What test_explore.c looks at closely.
target datalayout = "e-i64:64-i128:128-n32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%pair = type { i32, ptr }

@.str = private unnamed_addr constant [6 x i8] c"hello\00"
@.str.7 = private unnamed_addr constant [1 x i8] zeroinitializer
@table = internal constant [2 x %pair] [%pair { i32 7, ptr @.str }, %pair { i32 9, ptr getelementptr (i8, ptr @.str, i64 2) }]
@first = global i32 1, align 16
@second = global i32 2
@weak = extern_weak global i32
@calls = internal constant [1 x ptr] [ptr @local]

declare i32 @outside(i32, ptr)
declare void @stop() noreturn
declare i64 @strlen(ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare i32 @printf(ptr, ...)
declare i32 @__gxx_personality_v0(...)

define internal i32 @local(i32 %x) {
  ret i32 %x
}

define i32 @globals_apart(i32 %v) {
  %before = load i32, ptr @second
  store i32 %v, ptr @first
  %after = load i32, ptr @second
  %r = sub i32 %after, %before
  ret i32 %r
}

define i1 @global_address() {
  %a = icmp eq ptr @first, null
  %b = icmp eq ptr @weak, null
  br i1 %a, label %never, label %maybe
never:
  ret i1 true
maybe:
  ret i1 %b
}

define i32 @constant_data() {
  %p = getelementptr [2 x %pair], ptr @table, i64 0, i64 1, i32 1
  %s = load ptr, ptr %p
  %c = load i8, ptr %s
  %n = load i32, ptr @table
  %w = zext i8 %c to i32
  %r = add i32 %w, %n
  ret i32 %r
}

define i64 @library(ptr %p) {
  %n = call i64 @strlen(ptr @.str)
  %m = call i64 @strlen(ptr @.str.7)
  %r = add i64 %n, %m
  ret i64 %r
}

define i32 @call_arguments(i32 %x, ptr %p) {
  %local = alloca i32
  store i32 5, ptr %local
  %y = add i32 %x, 1
  %r = call i32 @outside(i32 %y, ptr @.str)
  %kept = load i32, ptr %local
  %s = add i32 %r, %kept
  ret i32 %s
}

define i32 @call_through_table(i32 %x) {
  %f = load ptr, ptr @calls
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

define i32 @never_comes_back(i32 %x) {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %bad, label %good
bad:
  call void @stop()
  unreachable
good:
  ret i32 %x
}

define i32 @volatile_twice(ptr %p) {
  %x = load volatile i32, ptr %p
  %y = load volatile i32, ptr %p
  %r = sub i32 %x, %y
  ret i32 %r
}

define i32 @plain_twice(ptr %p) {
  %x = load i32, ptr %p
  %y = load i32, ptr %p
  %r = sub i32 %x, %y
  ret i32 %r
}

define i32 @throwing(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @outside(i32 %x, ptr null) to label %fine unwind label %caught
fine:
  ret i32 %r
caught:
  %e = landingpad { ptr, i32 } catch ptr null
  ret i32 -1
}

define i32 @divides(i32 %x, i32 %y) {
  %r = sdiv i32 %x, %y
  ret i32 %r
}

define i32 @assembly(i32 %x) {
  %r = call i32 asm sideeffect "mangle $0, $1", "=r,r"(i32 %x)
  ret i32 %r
}

define i32 @vector_call(<4 x i32> %v) {
  %r = call <4 x i32> @vector.callee(<4 x i32> %v)
  %e = extractelement <4 x i32> %r, i64 0
  ret i32 %e
}
declare <4 x i32> @vector.callee(<4 x i32>)

define i32 @formats(i32 %x) {
  %r = call i32 (ptr, ...) @printf(ptr @.str, i32 %x, double 1.0)
  ret i32 %r
}

define i64 @jumps(i64 %x) {
entry:
  %c = icmp ult i64 %x, 5
  %to = select i1 %c, ptr blockaddress(@jumps, %low), ptr blockaddress(@jumps, %high)
  indirectbr ptr %to, [label %low, label %high]
low:
  ret i64 1
high:
  ret i64 2
}

define <2 x float> @not_understood_bfloat(<2 x bfloat> %x) {
  %y = fpext <2 x bfloat> %x to <2 x float>
  ret <2 x float> %y
}

define void @too_wide(ptr %p) {
  %x = load i1024, ptr %p
  store i1024 %x, ptr %p
  ret void
}

; Callees that are followed: locals of both, an argument of one bit, a pointer to a local, recursion, a structure.
define internal i32 @twice(i32 %x, i1 %up) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  br i1 %up, label %more, label %same
more:
  %v = load i32, ptr %slot
  %d = mul i32 %v, 2
  ret i32 %d
same:
  ret i32 %x
}

define internal void @fill(ptr %p, i32 %v) {
  store i32 %v, ptr %p
  ret void
}

define i32 @follows(i32 %x) {
  %slot = alloca i32
  %other = alloca i32
  store i32 1, ptr %slot
  call void @fill(ptr %other, i32 5)
  %a = call i32 @twice(i32 %x, i1 true)
  %b = call i32 @twice(i32 %a, i1 false)
  %one = load i32, ptr %slot
  %five = load i32, ptr %other
  %s = add i32 %b, %one
  %r = add i32 %s, %five
  ret i32 %r
}

define i32 @factorial(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
end:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %f = call i32 @factorial(i32 %m)
  %r = mul i32 %n, %f
  ret i32 %r
}

define i32 @six() {
  %r = call i32 @factorial(i32 3)
  ret i32 %r
}

define internal { i32, i64 } @pair(i32 %x) {
  %a = insertvalue { i32, i64 } undef, i32 %x, 0
  %b = insertvalue { i32, i64 } %a, i64 9, 1
  ret { i32, i64 } %b
}

define i64 @takes_pair(i32 %x) {
  %p = call { i32, i64 } @pair(i32 %x)
  %a = extractvalue { i32, i64 } %p, 0
  %b = extractvalue { i32, i64 } %p, 1
  %c = zext i32 %a to i64
  %r = add i64 %b, %c
  ret i64 %r
}

define internal i32 @traps_on_zero(i32 %x) {
  %r = udiv i32 8, %x
  ret i32 %r
}

define i32 @callee_traps(i32 %x) {
  %r = call i32 @traps_on_zero(i32 %x)
  ret i32 %r
}
