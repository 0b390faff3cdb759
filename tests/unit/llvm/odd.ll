; SPDX-License-Identifier: GPL-3.0-or-later
; What C compilers do not write: each function takes two numbers and eight words of memory, as those of corpus.c.
; The layout is what x86-64 and AArch64 have in common, for the assembler; the compiler takes its target's own.
target datalayout = "e-i64:64-i128:128-n32:64-S128"

define i64 @odd_wide_multiply(i64 %a, i64 %b, ptr %p) {
  %x = zext i64 %a to i256
  %y = zext i64 %b to i256
  %s = shl i256 %x, 100
  %t = or i256 %s, %y
  %m = mul i256 %t, %t
  %h = lshr i256 %m, 150
  %r = trunc i256 %h to i64
  ret i64 %r
}

define i64 @odd_wide_constant(i64 %a, i64 %b, ptr %p) {
  %x = sext i64 %a to i200
  %y = add i200 %x, -1606938044258990275541962092341162602522202993782792835301375
  %z = xor i200 %y, 123456789012345678901234567890123456789
  %h = lshr i200 %z, 70
  %r = trunc i200 %h to i64
  ret i64 %r
}

define i64 @odd_saturate(i64 %a, i64 %b, ptr %p) {
  %x = trunc i64 %a to i17
  %y = trunc i64 %b to i17
  %r1 = call i17 @llvm.sadd.sat.i17(i17 %x, i17 %y)
  %r2 = call i17 @llvm.usub.sat.i17(i17 %x, i17 %y)
  %r3 = call i17 @llvm.uadd.sat.i17(i17 %x, i17 %y)
  %r4 = call i17 @llvm.ssub.sat.i17(i17 %x, i17 %y)
  %s1 = xor i17 %r1, %r2
  %s2 = add i17 %r3, %r4
  %s3 = xor i17 %s1, %s2
  %r = sext i17 %s3 to i64
  ret i64 %r
}

define i64 @odd_funnel(i64 %a, i64 %b, ptr %p) {
  %x = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %a)
  %y = call i64 @llvm.fshr.i64(i64 %a, i64 %b, i64 %b)
  %ta = trunc i64 %a to i24
  %tb = trunc i64 %b to i24
  %z = call i24 @llvm.fshl.i24(i24 %ta, i24 %tb, i24 %tb)
  %w = zext i24 %z to i64
  %s = add i64 %x, %y
  %r = xor i64 %s, %w
  ret i64 %r
}

define i64 @odd_extremes(i64 %a, i64 %b, ptr %p) {
  %1 = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  %2 = call i64 @llvm.umin.i64(i64 %a, i64 %b)
  %3 = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %4 = call i64 @llvm.ctlz.i64(i64 %b, i1 false)
  %5 = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  %6 = mul i64 %1, 3
  %7 = xor i64 %6, %2
  %8 = add i64 %7, %3
  %9 = xor i64 %8, %4
  %r = add i64 %9, %5
  ret i64 %r
}

define i64 @odd_switch(i64 %a, i64 %b, ptr %p) {
  %x = zext i64 %a to i128
  %m = and i128 %x, 3
  %h = shl i128 %m, 90
  switch i128 %h, label %other [
    i128 0, label %zero
    i128 1237940039285380274899124224, label %one
    i128 2475880078570760549798248448, label %one
  ]
zero:
  ret i64 %b
one:
  %y = phi i64 [ 5, %0 ], [ 5, %0 ]
  %s = add i64 %y, %b
  ret i64 %s
other:
  ret i64 99
}

define i64 @odd_phis(i64 %a, i64 %b, ptr %p) {
entry:
  %n = and i64 %a, 15
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %x = phi i64 [ %a, %entry ], [ %y, %latch ]
  %y = phi i64 [ %b, %entry ], [ %x, %latch ]
  %z = phi i64 [ 1, %entry ], [ %w, %latch ]
  %c = icmp ult i64 %i, %n
  br i1 %c, label %latch, label %exit
latch:
  %next = add i64 %i, 1
  %w = mul i64 %z, 3
  br label %loop
exit:
  %d = sub i64 %x, %y
  %r = add i64 %d, %z
  ret i64 %r
}

define i64 @odd_exit_value(i64 %a, i64 %b, ptr %p) {
entry:
  br label %body
body:
  %i = phi i64 [ %a, %entry ], [ %n, %body ]
  %n = add i64 %i, 7
  %m = and i64 %n, 31
  %c = icmp eq i64 %m, 5
  %k = and i64 %i, 63
  %d = icmp ugt i64 %k, 50
  %e = or i1 %c, %d
  br i1 %e, label %exit, label %body
exit:
  %r = phi i64 [ %i, %body ]
  %s = add i64 %r, %n
  ret i64 %s
}

define i64 @odd_aggregates(i64 %a, i64 %b, ptr %p) {
  %t = trunc i64 %a to i8
  %x = insertvalue { i8, [2 x { i64, i1 }], i64 } zeroinitializer, i8 %t, 0
  %y = insertvalue { i8, [2 x { i64, i1 }], i64 } %x, i64 %b, 1, 1, 0
  %f = insertvalue { i64, i1 } undef, i64 %a, 0
  %c = icmp slt i64 %a, %b
  %g = insertvalue { i64, i1 } %f, i1 %c, 1
  %z = insertvalue { i8, [2 x { i64, i1 }], i64 } %y, { i64, i1 } %g, 1, 0
  %q = getelementptr i8, ptr %p, i64 8
  store { i8, [2 x { i64, i1 }], i64 } %z, ptr %q
  %w = load { i8, [2 x { i64, i1 }], i64 }, ptr %q
  %m = extractvalue { i8, [2 x { i64, i1 }], i64 } %w, 1
  %u = extractvalue [2 x { i64, i1 }] %m, 0, 1
  %v = extractvalue [2 x { i64, i1 }] %m, 1, 0
  %n = zext i1 %u to i64
  %r = add i64 %v, %n
  ret i64 %r
}

define i64 @odd_mask_memory(i64 %a, i64 %b, ptr %p) {
  %x = bitcast i64 %a to <8 x i8>
  %y = bitcast i64 %b to <8 x i8>
  %m = icmp ult <8 x i8> %x, %y
  store <8 x i1> %m, ptr %p
  %n = load <8 x i1>, ptr %p
  %s = select <8 x i1> %n, <8 x i8> %x, <8 x i8> %y
  %i = bitcast <8 x i1> %m to i8
  %w = zext i8 %i to i64
  %t = bitcast <8 x i8> %s to i64
  %r = add i64 %w, %t
  ret i64 %r
}

define i64 @odd_vector_bits(i64 %a, i64 %b, ptr %p) {
  %x = bitcast i64 %a to <4 x i16>
  %y = bitcast <4 x i16> %x to <2 x i32>
  %z = bitcast <2 x i32> %y to <64 x i1>
  %e = extractelement <64 x i1> %z, i64 17
  %f = zext i1 %e to i64
  %s = shufflevector <2 x i32> %y, <2 x i32> zeroinitializer, <3 x i32> <i32 1, i32 3, i32 0>
  %g = extractelement <3 x i32> %s, i64 2
  %h = zext i32 %g to i64
  %r = add i64 %f, %h
  ret i64 %r
}

define i64 @odd_vector_pointers(i64 %a, i64 %b, ptr %p) {
  %i = and i64 %a, 7
  %k = and i64 %b, 7
  %v0 = insertelement <2 x i64> zeroinitializer, i64 %i, i32 0
  %v1 = insertelement <2 x i64> %v0, i64 %k, i32 1
  %q = getelementptr i64, ptr %p, <2 x i64> %v1
  %c = icmp ult i64 %a, %b
  %m0 = insertelement <2 x i1> <i1 true, i1 true>, i1 %c, i32 1
  %g = call <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr> %q, i32 8, <2 x i1> %m0, <2 x i64> <i64 3, i64 4>)
  %s = call i64 @llvm.vector.reduce.add.v2i64(<2 x i64> %g)
  %t = call i64 @llvm.vector.reduce.xor.v2i64(<2 x i64> %v1)
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v1, <2 x ptr> %q, i32 8, <2 x i1> %m0)
  %r = xor i64 %s, %t
  ret i64 %r
}

define i64 @odd_masked(i64 %a, i64 %b, ptr %p) {
  %x = trunc i64 %a to i8
  %m = bitcast i8 %x to <8 x i1>
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %p, i32 4, <8 x i1> %m, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>)
  %y = trunc i64 %b to i8
  %n = bitcast i8 %y to <8 x i1>
  %w = mul <8 x i32> %v, %v
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %w, ptr %p, i32 4, <8 x i1> %n)
  %s = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %w)
  %t = call i32 @llvm.vector.reduce.smax.v8i32(<8 x i32> %v)
  %u = add i32 %s, %t
  %r = zext i32 %u to i64
  ret i64 %r
}

define i64 @odd_atomics(i64 %a, i64 %b, ptr %p) {
  %x = atomicrmw nand ptr %p, i64 %a seq_cst
  %q = getelementptr i64, ptr %p, i64 1
  %y = atomicrmw umax ptr %q, i64 %b monotonic
  %f = uitofp i64 %b to double
  %o = getelementptr i64, ptr %p, i64 2
  store double 1.5, ptr %o
  %z = atomicrmw fadd ptr %o, double %f seq_cst
  %c = cmpxchg ptr %p, i64 %x, i64 %y acq_rel monotonic
  %d = extractvalue { i64, i1 } %c, 0
  %e = extractvalue { i64, i1 } %c, 1
  %g = zext i1 %e to i64
  %h = bitcast double %z to i64
  %i = add i64 %d, %g
  %r = add i64 %i, %h
  ret i64 %r
}

define i64 @odd_floats(i64 %a, i64 %b, ptr %p) {
  %i = trunc i64 %a to i32
  %k = trunc i64 %b to i32
  %x = sitofp i32 %i to double
  %y = sitofp i32 %k to double
  %1 = call double @llvm.minnum.f64(double %x, double %y)
  %2 = call double @llvm.maxnum.f64(double %x, double %y)
  %3 = call double @llvm.fma.f64(double %x, double %y, double 0.1)
  %4 = fdiv double %3, 3.0
  %5 = call i32 @llvm.fptosi.sat.i32.f64(double %4)
  %6 = call i17 @llvm.fptoui.sat.i17.f64(double %2)
  %7 = frem double %x, 7.25
  %8 = call double @llvm.floor.f64(double %4)
  %9 = fsub double %1, %8
  %10 = fadd double %9, %7
  %11 = bitcast double %10 to i64
  %12 = sext i32 %5 to i64
  %13 = zext i17 %6 to i64
  %14 = add i64 %11, %12
  %15 = xor i64 %14, %13
  ret i64 %15
}

define i64 @odd_class(i64 %a, i64 %b, ptr %p) {
  %x = bitcast i64 %a to double
  %1 = call i1 @llvm.is.fpclass.f64(double %x, i32 3)
  %2 = call i1 @llvm.is.fpclass.f64(double %x, i32 516)
  %3 = call i1 @llvm.is.fpclass.f64(double %x, i32 264)
  %4 = call i1 @llvm.is.fpclass.f64(double %x, i32 240)
  %5 = call i1 @llvm.is.fpclass.f64(double %x, i32 60)
  %6 = zext i1 %1 to i64
  %7 = select i1 %2, i64 2, i64 0
  %8 = select i1 %3, i64 4, i64 0
  %9 = select i1 %4, i64 8, i64 0
  %10 = select i1 %5, i64 16, i64 0
  %11 = or i64 %6, %7
  %12 = or i64 %8, %9
  %13 = or i64 %11, %12
  %r = or i64 %13, %10
  ret i64 %r
}

define i64 @odd_freeze(i64 %a, i64 %b, ptr %p) {
  %x = freeze i64 undef
  %y = sub i64 %x, %x
  %z = freeze <2 x i32> <i32 7, i32 poison>
  %e = extractelement <2 x i32> %z, i64 0
  %f = zext i32 %e to i64
  %r = add i64 %y, %f
  ret i64 %r
}

@table = internal constant [3 x { i32, ptr }] [{ i32, ptr } { i32 4, ptr @hidden }, { i32, ptr } { i32 5, ptr getelementptr (i8, ptr @hidden, i64 4) }, { i32, ptr } { i32 6, ptr null }]
@hidden = internal global [2 x i32] [i32 11, i32 22]
@other = internal alias [2 x i32], ptr @hidden

define i64 @odd_globals(i64 %a, i64 %b, ptr %p) {
  %i = and i64 %a, 1
  %e = getelementptr [3 x { i32, ptr }], ptr @table, i64 0, i64 %i, i32 1
  %q = load ptr, ptr %e
  %x = load i32, ptr %q
  %o = getelementptr [2 x i32], ptr @other, i64 0, i64 1
  %y = load i32, ptr %o
  %n = load i32, ptr @table
  %s = add i32 %x, %y
  %t = mul i32 %s, %n
  %r = zext i32 %t to i64
  ret i64 %r
}

declare i17 @llvm.sadd.sat.i17(i17, i17)
declare i17 @llvm.usub.sat.i17(i17, i17)
declare i17 @llvm.uadd.sat.i17(i17, i17)
declare i17 @llvm.ssub.sat.i17(i17, i17)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare i24 @llvm.fshl.i24(i24, i24, i24)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i64>)
declare void @llvm.masked.scatter.v2i64.v2p0(<2 x i64>, <2 x ptr>, i32, <2 x i1>)
declare i64 @llvm.vector.reduce.add.v2i64(<2 x i64>)
declare i64 @llvm.vector.reduce.xor.v2i64(<2 x i64>)
declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, i32, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, i32, <8 x i1>)
declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)
declare i32 @llvm.vector.reduce.smax.v8i32(<8 x i32>)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.fma.f64(double, double, double)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i17 @llvm.fptoui.sat.i17.f64(double)
declare double @llvm.floor.f64(double)
declare i1 @llvm.is.fpclass.f64(double, i32)
