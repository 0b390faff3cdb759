/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each rule applies: X(rule, least width, greatest width, expression). Every rule has at least one, and must
 * fire on each of its instances.
 *
 * W is the width tried. x y z w have it; p q have half of it; b d e are one bit, u v eight bits; m n are arrays with
 * indices of width W and cells of 8 bits. #k is a constant of width W, #k:N one of width N; min, max are the signed
 * extremes. extract takes the high and the low bit. */
#ifndef TESTS_TERM_INSTANCES_H
#define TESTS_TERM_INSTANCES_H

#define INSTANCES(X)                                                                                            \
    X(fold, 4, 128, "(add #3 #5)")                                                                               \
    X(fold, 4, 128, "(udiv #3 #0)")                                                                              \
    X(const_right, 4, 128, "(add #3 x)")                                                                         \
    X(const_right, 4, 128, "(and #5 x)")                                                                         \
    X(commute, 2, 128, "(and y x)")                                                                              \
    X(commute, 2, 128, "(eq y x)")                                                                               \
    X(commute, 2, 16, "(mul y x)")                                                                               \
    X(bit_arith, 1, 1, "(add b d)")                                                                              \
    X(bit_arith, 1, 1, "(sub b d)")                                                                              \
    X(bit_arith, 1, 1, "(mul b d)")                                                                              \
    X(bit_arith, 1, 1, "(neg b)")                                                                                \
    X(bit_eq, 1, 1, "(eq b d)")                                                                                  \
    X(bit_order, 1, 1, "(ult b d)")                                                                              \
    X(bit_order, 1, 1, "(ule b d)")                                                                              \
    X(bit_order, 1, 1, "(slt b d)")                                                                              \
    X(bit_order, 1, 1, "(sle b d)")                                                                              \
    X(bit_ite, 1, 1, "(ite b d #1:1)")                                                                           \
    X(bit_ite, 1, 1, "(ite b d #0:1)")                                                                           \
    X(bit_ite, 1, 1, "(ite b #1:1 d)")                                                                           \
    X(bit_ite, 1, 1, "(ite b #0:1 d)")                                                                           \
    X(bit_ite, 1, 1, "(ite b b d)")                                                                              \
    X(bit_ite, 1, 1, "(ite b d b)")                                                                              \
    X(bit_ite, 1, 1, "(ite b (not b) d)")                                                                        \
    X(bit_ite, 1, 1, "(ite b d (not b))")                                                                        \
    X(bit_ite, 1, 1, "(ite b d (not d))")                                                                        \
    X(not_not, 1, 128, "(not (not x))")                                                                          \
    X(not_order, 2, 128, "(not (ult x y))")                                                                      \
    X(not_order, 2, 128, "(not (ule x y))")                                                                      \
    X(not_order, 2, 128, "(not (slt x y))")                                                                      \
    X(not_order, 2, 128, "(not (sle x y))")                                                                      \
    X(not_bool, 1, 1, "(not (and b d))")                                                                         \
    X(not_bool, 1, 1, "(not (or b d))")                                                                          \
    X(not_xor, 4, 128, "(not (xor x #5))")                                                                       \
    X(not_sum, 4, 64, "(not (add x #5))")                                                                        \
    X(not_sum, 2, 64, "(not (neg x))")                                                                           \
    X(not_sum, 2, 64, "(not (sub x y))")                                                                         \
    X(not_parts, 1, 128, "(not (concat x y))")                                                                   \
    X(not_parts, 1, 128, "(not (sext 2W x))")                                                                    \
    X(sum_linear, 4, 64, "(add (add x #3) (add y #4))")                                                          \
    X(sum_linear, 2, 64, "(sub x x)")                                                                            \
    X(sum_linear, 2, 64, "(add x x)")                                                                            \
    X(sum_linear, 2, 64, "(sub (add x y) x)")                                                                    \
    X(sum_linear, 2, 64, "(add (not x) #1)")                                                                     \
    X(sum_linear, 4, 64, "(sub (mul x #3) x)")                                                                   \
    X(sum_linear, 4, 64, "(sub x (add y #5))")                                                                   \
    X(sum_linear, 4, 64, "(sub #5 (sub x y))")                                                                   \
    X(sum_linear, 2, 64, "(sub (neg x) #1)")                                                                     \
    X(sum_linear, 2, 8, "(add (mul (sdiv x y) y) (srem x y))")                                                   \
    X(sum_linear, 2, 8, "(sub (sub z (mul (udiv x y) y)) (urem x y))")                                           \
    X(sum_linear, 4, 12, "(add (mul (sdiv x #7) #7) (srem x #7))")                                               \
    X(add_wide, 65, 200, "(add x #0)")                                                                           \
    X(add_wide, 65, 200, "(sub x x)")                                                                            \
    X(add_wide, 65, 200, "(sub x #5)")                                                                           \
    X(add_wide, 65, 200, "(add (add x #3) #7)")                                                                  \
    X(add_wide, 65, 200, "(add (add x #3) y)")                                                                   \
    X(add_wide, 65, 200, "(add x (add y #3))")                                                                   \
    X(add_wide, 65, 200, "(neg (neg x))")                                                                        \
    X(mul_linear, 2, 64, "(mul x #0)")                                                                           \
    X(mul_linear, 2, 64, "(mul x #1)")                                                                           \
    X(mul_linear, 2, 64, "(mul x #-1)")                                                                          \
    X(mul_linear, 4, 64, "(mul (add x #3) #4)")                                                                  \
    X(mul_linear, 4, 64, "(mul (sub x y) #6)")                                                                   \
    X(mul_wide, 65, 200, "(mul x #0)")                                                                           \
    X(mul_wide, 65, 200, "(mul x #1)")                                                                           \
    X(mul_wide, 65, 200, "(mul x #-1)")                                                                          \
    X(mul_wide, 65, 200, "(mul (mul x #2) #4)")                                                                  \
    X(mul_neg, 2, 8, "(mul (neg x) y)")                                                                          \
    X(mul_neg, 2, 8, "(mul x (neg y))")                                                                          \
    X(mul_chain, 4, 4, "(mul (mul x #3) y)")                                                                     \
    X(mul_chain, 2, 4, "(mul x (mul y z))")                                                                      \
    X(mul_chain, 2, 4, "(mul (mul x z) y)")                                                                      \
    X(div_one, 2, 32, "(udiv x #1)")                                                                             \
    X(div_one, 2, 32, "(urem x #1)")                                                                             \
    X(div_one, 1, 16, "(sdiv x #1)")                                                                             \
    X(div_one, 1, 16, "(srem x #1)")                                                                             \
    X(div_one, 1, 16, "(sdiv x #-1)")                                                                            \
    X(div_one, 1, 16, "(srem x #-1)")                                                                            \
    X(div_pow2, 4, 128, "(udiv x #4)")                                                                           \
    X(div_pow2, 4, 128, "(urem x #4)")                                                                           \
    X(div_small, 3, 16, "(udiv (zext W p) #max)")                                                                \
    X(div_small, 3, 16, "(urem (zext W p) #max)")                                                                \
    X(div_sign, 2, 8, "(sdiv (zext W p) (zext W q))")                                                            \
    X(div_sign, 2, 8, "(srem (zext W p) (zext W q))")                                                            \
    X(div_narrow, 2, 4, "(urem (zext 2W x) (zext 2W y))")                                                        \
    X(div_narrow, 2, 4, "(srem (sext 2W x) (sext 2W y))")                                                        \
    X(div_narrow, 3, 8, "(udiv (zext 2W x) #3:2W)")                                                              \
    X(and_unit, 1, 128, "(and x #0)")                                                                            \
    X(and_unit, 1, 128, "(and x #-1)")                                                                           \
    X(and_unit, 1, 128, "(and x x)")                                                                             \
    X(and_unit, 1, 128, "(and x (not x))")                                                                       \
    X(and_unit, 2, 128, "(and (ult x y) (ule y x))")                                                             \
    X(or_unit, 1, 128, "(or x #0)")                                                                              \
    X(or_unit, 1, 128, "(or x #-1)")                                                                             \
    X(or_unit, 1, 128, "(or x x)")                                                                               \
    X(or_unit, 1, 128, "(or x (not x))")                                                                         \
    X(xor_unit, 1, 128, "(xor x #0)")                                                                            \
    X(xor_unit, 1, 128, "(xor x #-1)")                                                                           \
    X(xor_unit, 1, 128, "(xor x x)")                                                                             \
    X(xor_not, 1, 128, "(xor (not x) y)")                                                                        \
    X(chain_const, 4, 128, "(and (and x #5) #6)")                                                                \
    X(chain_const, 4, 128, "(or (or x #1) y)")                                                                   \
    X(chain_const, 4, 128, "(xor (xor x #3) #5)")                                                                \
    X(absorb, 1, 128, "(and x (or x y))")                                                                        \
    X(absorb, 1, 128, "(and x (or (not x) y))")                                                                  \
    X(absorb, 1, 128, "(or x (and (not x) y))")                                                                  \
    X(absorb, 1, 128, "(and (and x z) (or y z))")                                                                \
    X(chain_order, 1, 128, "(and (and x z) y)")                                                                  \
    X(chain_order, 1, 128, "(xor (xor x y) x)")                                                                  \
    X(chain_order, 1, 128, "(or (or x y) (not x))")                                                              \
    X(chain_order, 2, 128, "(and (and x (not (and x y))) y)")                                                    \
    X(chain_order, 1, 128, "(or (or x y) (or x z))")                                                             \
    X(de_morgan, 2, 128, "(and (not x) (not y))")                                                                \
    X(de_morgan, 2, 128, "(or (not x) (not y))")                                                                 \
    X(and_known, 2, 128, "(and (zext W p) #max)")                                                                \
    X(and_known, 4, 128, "(and (mul x #4) #3)")                                                                  \
    X(or_known, 2, 128, "(or (concat #1:1 x) #min:W+1)")                                                         \
    X(and_mask, 2, 128, "(and x #1)")                                                                            \
    X(and_mask, 4, 128, "(and x #7)")                                                                            \
    X(parts_const, 4, 128, "(and (concat x y) #5:2W)")                                                           \
    X(parts_const, 4, 128, "(or (concat x y) #5:2W)")                                                            \
    X(parts_const, 4, 128, "(xor (zext 2W x) #6:2W)")                                                            \
    X(parts_const, 4, 128, "(or (zext 2W x) #min:2W)")                                                           \
    X(and_sext_bit, 2, 128, "(and x (sext W b))")                                                                \
    X(or_parts, 2, 128, "(or (concat x #0) (zext 2W y))")                                                        \
    X(or_parts, 2, 128, "(xor (concat x #0) (zext 2W y))")                                                       \
    X(or_parts, 4, 128, "(or (concat x (zext W p)) (zext 2W y))")                                                \
    X(or_parts, 8, 64, "(or (shl (zext 2W u) #8:2W) (zext 2W v))")                                               \
    X(order_eq, 2, 128, "(or (ult x y) (eq x y))")                                                               \
    X(order_eq, 2, 128, "(or (slt y x) (eq x y))")                                                               \
    X(order_eq, 2, 128, "(or (ule x y) (eq x y))")                                                               \
    X(order_eq, 2, 128, "(and (sle x y) (not (eq x y)))")                                                        \
    X(order_eq, 2, 128, "(and (slt x y) (not (eq x y)))")                                                        \
    X(order_both, 2, 128, "(and (ule x y) (ule y x))")                                                           \
    X(order_both, 2, 128, "(and (slt x y) (slt y x))")                                                           \
    X(order_both, 2, 128, "(or (slt x y) (slt y x))")                                                            \
    X(order_both, 2, 128, "(or (ule x y) (ule y x))")                                                            \
    X(sign_overflow, 2, 64, "(xor (slt (sub x y) #0) (slt (and (xor x y) (xor x (sub x y))) #0))")                \
    X(sign_overflow, 2, 64, "(not (xor (slt (sub x y) #0) (slt (and (xor x y) (xor x (sub x y))) #0)))")          \
    X(sign_overflow, 4, 64, "(xor (slt (sub x #5) #0) (slt (and (xor x #5) (xor x (sub x #5))) #0))")             \
    X(sign_overflow, 4, 64, "(xor (slt (sub #5 x) #0) (slt (and (xor #5 x) (xor #5 (sub #5 x))) #0))")            \
    X(sign_overflow, 2, 64, "(slt (or (and (not x) y) (and (not (xor x y)) (sub x y))) #0)")                      \
    X(sign_overflow, 4, 64, "(xor (slt (sub (add x #1) (add y #2)) #0) (slt (and (xor (add x #1) (add y #2)) (xor (add x #1) (sub (add x #1) (add y #2)))) #0))") \
    X(shift_zero, 1, 128, "(shl x #0)")                                                                          \
    X(shift_zero, 1, 128, "(lshr #0 x)")                                                                         \
    X(shift_zero, 1, 128, "(ashr x #0)")                                                                         \
    X(shl_const, 2, 128, "(shl x #1)")                                                                           \
    X(shl_const, 2, 128, "(shl x #-1)")                                                                          \
    X(lshr_const, 2, 128, "(lshr x #1)")                                                                         \
    X(lshr_const, 2, 128, "(lshr x #-1)")                                                                        \
    X(ashr_const, 2, 128, "(ashr x #1)")                                                                         \
    X(ashr_const, 2, 128, "(ashr x #-1)")                                                                        \
    X(ashr_sign, 2, 64, "(ashr (zext W p) y)")                                                                   \
    X(shift_past, 2, 64, "(shl x (concat #-1:W-1 b))")                                                           \
    X(shift_past, 2, 64, "(lshr x (concat #-1:W-1 b))")                                                          \
    X(extract_all, 1, 128, "(extract W-1 0 x)")                                                                  \
    X(extract_extract, 4, 128, "(extract 1 0 (extract W-1 1 x))")                                                \
    X(extract_concat, 2, 128, "(extract W 1 (concat x y))")                                                      \
    X(extract_concat, 2, 128, "(extract 0 0 (concat x y))")                                                      \
    X(extract_concat, 2, 128, "(extract W W (concat x y))")                                                      \
    X(extract_zext, 2, 128, "(extract W 1 (zext 2W x))")                                                         \
    X(extract_zext, 2, 128, "(extract 0 0 (zext 2W x))")                                                         \
    X(extract_zext, 2, 128, "(extract W W (zext 2W x))")                                                         \
    X(extract_sext, 2, 128, "(extract W 1 (sext 2W x))")                                                         \
    X(extract_sext, 2, 128, "(extract 0 0 (sext 2W x))")                                                         \
    X(extract_sext, 3, 128, "(extract W+1 W (sext 2W x))")                                                       \
    X(extract_ite, 2, 128, "(extract 0 0 (ite b x y))")                                                          \
    X(extract_bitwise, 2, 128, "(extract 1 1 (and x y))")                                                        \
    X(extract_bitwise, 2, 128, "(extract 1 1 (not x))")                                                          \
    X(extract_low, 2, 128, "(extract 0 0 (add x y))")                                                            \
    X(extract_low, 3, 128, "(extract 1 0 (sub x y))")                                                            \
    X(extract_low, 3, 32, "(extract 1 0 (mul x y))")                                                             \
    X(extract_low, 3, 128, "(extract 1 0 (neg x))")                                                              \
    X(extract_low, 9, 64, "(extract 7 0 (add (add x y) (sub z w)))")                                             \
    X(extract_scaled, 4, 128, "(extract W-1 1 (mul x #4))")                                                      \
    X(extract_scaled, 4, 128, "(extract W-1 3 (mul x #4))")                                                      \
    X(extract_scaled, 4, 128, "(extract 1 1 (mul x #4))")                                                        \
    X(extract_scaled, 4, 64, "(extract W-1 2 (add (mul x #4) (mul y #4)))")                                      \
    X(extract_scaled, 4, 64, "(extract W-1 1 (sub (mul x #4) (add (mul y #2) #6)))")                             \
    X(extract_scaled, 5, 64, "(extract W-2 2 (add (add (mul x #4) (mul y #12)) (sub #8 (mul z #4))))")           \
    X(extract_div, 2, 4, "(extract W-1 0 (udiv (zext 2W x) (zext 2W y)))")                                       \
    X(extract_div, 2, 4, "(extract W-1 0 (sdiv (sext 2W x) (sext 2W y)))")                                       \
    X(extract_div, 3, 8, "(extract W-1 0 (sdiv (sext 2W x) #3:2W))")                                             \
    X(extract_read, 8, 64, "(extract 15 8 (read 32 m x))")                                                       \
    X(extract_known, 4, 128, "(extract 1 1 (add (mul x #4) #1))")                                                \
    X(extract_clz, 8, 8, "(extract 3 3 (clz x))")                                                                \
    X(extract_clz, 8, 8, "(extract 3 3 (ctz x))")                                                                \
    X(concat_zero, 1, 128, "(concat #0 x)")                                                                      \
    X(concat_right, 1, 128, "(concat (concat x y) z)")                                                           \
    X(concat_zext, 1, 128, "(concat (zext 2W x) y)")                                                             \
    X(concat_zext, 1, 128, "(concat (sext 2W x) y)")                                                             \
    X(concat_join, 2, 128, "(concat (extract W-1 1 x) (extract 0 0 x))")                                         \
    X(concat_join, 2, 128, "(concat x (concat (extract W-1 1 y) (concat (extract 0 0 y) z)))")                   \
    X(concat_join, 2, 128, "(concat #1 (concat #2 x))")                                                          \
    X(concat_join, 2, 128, "(concat #1 (zext 2W x))")                                                            \
    X(concat_join, 8, 64, "(concat (read 8 m (add x #1)) (read 8 m x))")                                         \
    X(concat_sign, 2, 128, "(concat (slt x #0) x)")                                                              \
    X(concat_sign, 4, 128, "(concat (ashr x #-1) x)")                                                            \
    X(concat_ite, 2, 128, "(concat (ite b x y) (ite b z w))")                                                    \
    X(zext_chain, 1, 128, "(zext 2W (zext W+1 x))")                                                              \
    X(zext_chain, 1, 128, "(zext W x)")                                                                          \
    X(sext_chain, 1, 128, "(sext 2W (sext W+1 x))")                                                              \
    X(sext_chain, 2, 128, "(sext 2W (zext W+1 x))")                                                              \
    X(sext_chain, 1, 128, "(sext W x)")                                                                          \
    X(sext_sign, 3, 8, "(sext 2W (urem x #max))")                                                                \
    X(eq_same, 2, 128, "(eq x x)")                                                                               \
    X(eq_known, 2, 128, "(eq (or x #1) (mul y #2))")                                                             \
    X(eq_known, 8, 64, "(eq (add (zext W p) #min) (zext W q))")                                                  \
    X(eq_xor, 4, 128, "(eq (xor x #5) #3)")                                                                      \
    X(eq_xor, 2, 128, "(eq (xor x y) #0)")                                                                       \
    X(eq_xor, 2, 128, "(eq (xor x y) x)")                                                                        \
    X(eq_xor, 2, 128, "(eq (not x) (not y))")                                                                    \
    X(eq_xor, 4, 128, "(eq (not x) #5)")                                                                         \
    X(eq_linear, 4, 64, "(eq (add x #3) #5)")                                                                    \
    X(eq_linear, 2, 8, "(eq (sub x (mul (sdiv x y) y)) (srem x y))")                                              \
    X(eq_linear, 2, 64, "(eq (sub x y) #0)")                                                                     \
    X(eq_linear, 2, 64, "(eq (add x y) (add x z))")                                                              \
    X(eq_linear, 4, 64, "(eq (mul x #6) #4)")                                                                    \
    X(eq_linear, 4, 64, "(eq (mul x #3) #7)")                                                                    \
    X(eq_linear, 4, 64, "(eq (add x #1) y)")                                                                     \
    X(eq_linear, 4, 64, "(eq (add x #1) (add x #2))")                                                            \
    X(eq_zext, 4, 128, "(eq (zext 2W x) #5:2W)")                                                                 \
    X(eq_zext, 2, 128, "(eq (zext 2W x) (zext 2W y))")                                                           \
    X(eq_zext, 2, 128, "(eq (zext 2W x) (zext 2W p))")                                                           \
    X(eq_sext, 4, 128, "(eq (sext 2W x) #-2:2W)")                                                                \
    X(eq_sext, 2, 128, "(eq (sext 2W x) #max:2W)")                                                               \
    X(eq_sext, 2, 128, "(eq (sext 2W x) (sext 2W y))")                                                           \
    X(eq_sext, 2, 128, "(eq (sext 2W p) (sext 2W x))")                                                           \
    X(eq_concat, 4, 128, "(eq (concat x y) #5:2W)")                                                              \
    X(eq_concat, 2, 128, "(eq (concat x y) (concat z w))")                                                       \
    X(eq_concat, 2, 128, "(eq (concat x y) (zext 2W p))")                                                        \
    X(eq_mask, 4, 128, "(eq (and x #6) #2)")                                                                     \
    X(eq_mask, 4, 128, "(eq (and x #6) #0)")                                                                     \
    X(eq_or_zero, 2, 128, "(eq (or x y) #0)")                                                                    \
    X(eq_ite, 4, 128, "(eq (ite b #5 #3) #3)")                                                                   \
    X(eq_ite, 4, 128, "(eq (ite b #5 #3) #5)")                                                                   \
    X(eq_ite, 4, 128, "(eq (ite b x #3) #5)")                                                                    \
    X(eq_ite, 4, 128, "(eq (ite b #3 x) #5)")                                                                    \
    X(eq_ite, 2, 128, "(eq (ite b x y) x)")                                                                      \
    X(eq_ite, 2, 128, "(eq (ite b x y) y)")                                                                      \
    X(eq_ite, 2, 128, "(eq (ite b x y) (ite b z w))")                                                            \
    X(order_same, 2, 128, "(ult x x)")                                                                           \
    X(order_same, 2, 128, "(sle x x)")                                                                           \
    X(order_const, 4, 128, "(ule x #5)")                                                                         \
    X(order_const, 4, 128, "(ult #5 x)")                                                                         \
    X(order_const, 2, 128, "(ult x #1)")                                                                         \
    X(order_const, 2, 128, "(ult x #0)")                                                                         \
    X(order_const, 2, 128, "(ult x #-1)")                                                                        \
    X(order_const, 2, 128, "(ule #1 x)")                                                                         \
    X(order_const, 2, 128, "(ule #0 x)")                                                                         \
    X(order_const, 2, 128, "(ule #-1 x)")                                                                        \
    X(order_const, 2, 128, "(ule x #-1)")                                                                        \
    X(order_const, 2, 128, "(ult #-1 x)")                                                                        \
    X(order_const, 2, 128, "(sle x #max)")                                                                       \
    X(order_const, 4, 128, "(sle x #5)")                                                                         \
    X(order_const, 2, 128, "(slt #max x)")                                                                       \
    X(order_const, 4, 128, "(slt #5 x)")                                                                         \
    X(order_const, 2, 128, "(slt x #min)")                                                                       \
    X(order_const, 2, 128, "(slt x #max)")                                                                       \
    X(order_const, 2, 128, "(sle #min x)")                                                                       \
    X(order_const, 2, 128, "(sle x #min)")                                                                       \
    X(order_const, 2, 128, "(slt #min x)")                                                                       \
    X(order_const, 2, 128, "(sle #max x)")                                                                       \
    X(order_known, 2, 128, "(ult (zext W p) #min)")                                                              \
    X(order_known, 2, 128, "(slt (or x #min) (zext W p))")                                                       \
    X(order_known, 4, 16, "(ult (urem x #3) #3)")                                                                \
    X(slt_zero, 2, 128, "(slt x #0)")                                                                            \
    X(slt_zero, 2, 128, "(sle #0 x)")                                                                            \
    X(order_sign, 2, 128, "(slt (zext W p) (lshr x #1))")                                                        \
    X(order_extend, 2, 128, "(ult (zext 2W x) (zext 2W y))")                                                     \
    X(order_extend, 2, 128, "(ult (zext 2W x) (zext 2W p))")                                                     \
    X(order_extend, 2, 128, "(slt (sext 2W x) (sext 2W y))")                                                     \
    X(order_extend, 2, 128, "(ule (sext 2W x) (sext 2W y))")                                                     \
    X(order_extend, 2, 128, "(sle (sext 2W p) (sext 2W y))")                                                     \
    X(order_extend, 4, 128, "(slt (sext 2W x) #5:2W)")                                                           \
    X(order_extend, 4, 128, "(slt (sext 2W x) (add #min:2W #3:2W))")                                             \
    X(order_extend, 4, 128, "(sle (add #min:2W #3:2W) (sext 2W x))")                                             \
    X(order_concat, 2, 128, "(ult (concat x y) (concat x z))")                                                   \
    X(order_concat, 2, 128, "(ult (concat x y) (concat z y))")                                                   \
    X(order_concat, 2, 128, "(ult (concat x y) #min:2W)")                                                        \
    X(order_concat, 2, 128, "(ule #min:2W (concat x y))")                                                        \
    X(order_carry, 4, 128, "(ult (add x #3) x)")                                                                 \
    X(order_carry, 4, 128, "(ult x (add x #3))")                                                                 \
    X(order_carry, 4, 128, "(ule (add x #3) x)")                                                                 \
    X(order_carry, 2, 64, "(ult (add x y) y)")                                                                   \
    X(order_carry, 2, 64, "(ule y (add x y))")                                                                   \
    X(order_carry, 2, 128, "(ult x (sub x y))")                                                                  \
    X(order_carry, 2, 128, "(ule (sub x y) x)")                                                                  \
    X(ite_const, 1, 128, "(ite #1:1 x y)")                                                                       \
    X(ite_const, 2, 128, "(ite #0:1 x y)")                                                                       \
    X(ite_same, 2, 128, "(ite b x x)")                                                                           \
    X(ite_not, 2, 128, "(ite (not b) x y)")                                                                      \
    X(ite_bit, 2, 128, "(ite b #1 #0)")                                                                          \
    X(ite_bit, 2, 128, "(ite b #-1 #0)")                                                                         \
    X(ite_bit, 2, 128, "(ite b #0 #1)")                                                                          \
    X(ite_bit, 2, 128, "(ite b #0 #-1)")                                                                         \
    X(ite_nested, 2, 128, "(ite b (ite b x y) z)")                                                               \
    X(ite_nested, 2, 128, "(ite b x (ite b y z))")                                                               \
    X(ite_nested, 2, 128, "(ite b (ite d x y) y)")                                                               \
    X(ite_nested, 2, 128, "(ite b (ite d x y) x)")                                                               \
    X(ite_nested, 2, 128, "(ite b x (ite d x y))")                                                               \
    X(ite_nested, 2, 128, "(ite b x (ite d y x))")                                                               \
    X(ite_nested, 2, 128, "(ite (ult x y) (ite (ule y x) x y) z)")                                               \
    X(ite_nested, 2, 128, "(ite (ult x y) z (ite (ule y x) x y))")                                               \
    X(ite_eq, 2, 128, "(ite (eq x y) x y)")                                                                      \
    X(ite_eq, 4, 128, "(ite (eq x #5) #5 x)")                                                                    \
    X(ite_extend, 2, 128, "(ite b (zext 2W x) (zext 2W y))")                                                     \
    X(ite_extend, 4, 128, "(ite b (sext 2W x) #-3:2W)")                                                          \
    X(ite_extend, 4, 128, "(ite b #3:2W (zext 2W x))")                                                           \
    X(lift_unary, 2, 128, "(zext 2W (ite b #2 #3))")                                                             \
    X(lift_unary, 2, 128, "(not (ite b #2 #3))")                                                                 \
    X(lift_unary, 2, 32, "(popcnt (ite b #2 #3))")                                                               \
    X(lift_binary, 4, 128, "(and (ite b #5 #3) #6)")                                                             \
    X(lift_binary, 4, 128, "(lshr #8 (ite b #2 #3))")                                                            \
    X(lift_binary, 4, 128, "(ult (ite b #2 #5) #4)")                                                             \
    X(count_known, 2, 32, "(clz (or x #min))")                                                                   \
    X(count_known, 2, 32, "(ctz (or x #1))")                                                                     \
    X(count_known, 4, 32, "(ctz (mul (or x #1) #2))")                                                            \
    X(count_zext, 1, 16, "(popcnt (zext 2W x))")                                                                 \
    X(count_zext, 1, 32, "(clz (zext 2W x))")                                                                    \
    X(read_const_array, 8, 64, "(read 16 (aconst u) x)")                                                         \
    X(read_write, 8, 64, "(read 8 (write m x u) x)")                                                             \
    X(read_write, 8, 64, "(read 8 (write m (add x #1) u) x)")                                                    \
    X(read_write, 8, 64, "(read 16 (write (write m x u) (add x #1) v) x)")                                       \
    X(read_write, 8, 64, "(read 32 (write m x (concat u v)) (add x #-1))")                                       \
    X(read_write, 8, 64, "(read 8 (write m #-1 (concat u v)) #0)")                                               \
    X(read_write, 8, 64, "(read 8 (write m x (concat u v)) (add x #1))")                                         \
    X(read_write, 8, 64, "(read 16 (write m (mul x #4) (concat u v)) (add (mul y #4) #2))")                      \
    X(read_write, 8, 64, "(read 8 (write m (zext W p) u) (add (zext W q) #min))")                                \
    X(read_ite, 8, 64, "(read 8 (aite b m n) x)")                                                                \
    X(write_back, 8, 64, "(read 8 (write m x (read 16 m x)) y)")                                                 \
    X(write_hides, 8, 64, "(read 8 (write (write m x u) x v) y)")                                                \
    X(write_hides, 8, 64, "(read 8 (write (write m x u) x u) y)")                                                \
    X(write_hides, 8, 64, "(read 8 (write (write (write m x u) (add x #1) v) x (concat v u)) y)")                \
    X(write_hides, 8, 64, "(read 8 (write (write (write m x u) (add x #5) v) x v) y)")                           \
    X(write_order, 8, 64, "(read 8 (write (write m x u) (add x #1) v) y)")                                       \
    X(aite_same, 8, 64, "(read 8 (aite b m m) x)")                                                               \
    X(aite_const, 8, 64, "(read 8 (aite #1:1 m n) x)")                                                           \
    X(aite_not, 8, 64, "(read 8 (aite (not b) m n) x)")                                                          \
    X(aite_writes, 8, 64, "(read 8 (aite b (write m x u) m) z)")                                                 \
    X(aite_writes, 8, 64, "(read 8 (aite b (write m x u) (write m y v)) z)")                                     \
    X(aite_writes, 8, 32, "(read 8 (aite b (write (write m x u) y v) (write m y u)) z)")

#endif
