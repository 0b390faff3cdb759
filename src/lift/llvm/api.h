/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of libLLVM that are used, found when it is loaded. */
#ifndef LIFT_LLVM_API_H
#define LIFT_LLVM_API_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/error.h"

#define LLVM_FUNCTIONS(X)                                                                                    \
    X(ContextCreate)                                                                                         \
    X(ContextDispose)                                                                                        \
    X(ContextSetDiagnosticHandler)                                                                           \
    X(GetDiagInfoDescription)                                                                                \
    X(GetDiagInfoSeverity)                                                                                   \
    X(DisposeMessage)                                                                                        \
    X(CreateMemoryBufferWithMemoryRangeCopy)                                                                 \
    X(DisposeMemoryBuffer)                                                                                   \
    X(ParseBitcodeInContext2)                                                                                \
    X(DisposeModule)                                                                                         \
    X(VerifyModule)                                                                                          \
    X(GetTarget)                                                                                             \
    X(GetSourceFileName)                                                                                     \
    X(GetModuleDataLayout)                                                                                   \
    X(SetDataLayout)                                                                                         \
    X(ByteOrder)                                                                                             \
    X(PointerSizeForAS)                                                                                      \
    X(SizeOfTypeInBits)                                                                                      \
    X(StoreSizeOfType)                                                                                       \
    X(ABISizeOfType)                                                                                         \
    X(ABIAlignmentOfType)                                                                                    \
    X(OffsetOfElement)                                                                                       \
    X(GetFirstFunction)                                                                                      \
    X(GetNextFunction)                                                                                       \
    X(GetFirstGlobal)                                                                                        \
    X(GetNextGlobal)                                                                                         \
    X(IsDeclaration)                                                                                         \
    X(GetValueName2)                                                                                         \
    X(GetLinkage)                                                                                            \
    X(GetUnnamedAddress)                                                                                     \
    X(GetAlignment)                                                                                          \
    X(GetInitializer)                                                                                        \
    X(IsGlobalConstant)                                                                                      \
    X(IsExternallyInitialized)                                                                               \
    X(AliasGetAliasee)                                                                                       \
    X(GlobalGetValueType)                                                                                    \
    X(CountParams)                                                                                           \
    X(GetParam)                                                                                              \
    X(GetReturnType)                                                                                         \
    X(IsFunctionVarArg)                                                                                      \
    X(GetEnumAttributeKindForName)                                                                           \
    X(GetEnumAttributeAtIndex)                                                                               \
    X(GetCallSiteEnumAttribute)                                                                              \
    X(GetFirstBasicBlock)                                                                                    \
    X(GetNextBasicBlock)                                                                                     \
    X(GetFirstInstruction)                                                                                   \
    X(GetNextInstruction)                                                                                    \
    X(GetBasicBlockTerminator)                                                                               \
    X(GetInstructionParent)                                                                                  \
    X(ValueAsBasicBlock)                                                                                     \
    X(GetInstructionOpcode)                                                                                  \
    X(GetConstOpcode)                                                                                        \
    X(GetICmpPredicate)                                                                                      \
    X(GetFCmpPredicate)                                                                                      \
    X(GetNumOperands)                                                                                        \
    X(GetOperand)                                                                                            \
    X(GetFirstUse)                                                                                           \
    X(GetNextUse)                                                                                            \
    X(GetUser)                                                                                               \
    X(TypeOf)                                                                                                \
    X(GetTypeKind)                                                                                           \
    X(TypeIsSized)                                                                                           \
    X(GetIntTypeWidth)                                                                                       \
    X(GetPointerAddressSpace)                                                                                \
    X(GetElementType)                                                                                        \
    X(GetArrayLength2)                                                                                       \
    X(GetVectorSize)                                                                                         \
    X(CountStructElementTypes)                                                                               \
    X(StructGetTypeAtIndex)                                                                                  \
    X(IntTypeInContext)                                                                                      \
    X(GetValueKind)                                                                                          \
    X(ConstIntGetZExtValue)                                                                                  \
    X(ConstBitCast)                                                                                          \
    X(GetAggregateElement)                                                                                   \
    X(IsConstantString)                                                                                      \
    X(GetAsString)                                                                                           \
    X(PrintValueToString)                                                                                    \
    X(GetBlockAddressBasicBlock)                                                                             \
    X(GetGEPSourceElementType)                                                                               \
    X(GetAllocatedType)                                                                                      \
    X(GetNumIndices)                                                                                         \
    X(GetIndices)                                                                                            \
    X(GetMaskValue)                                                                                          \
    X(GetVolatile)                                                                                           \
    X(GetAtomicRMWBinOp)                                                                                     \
    X(GetOrdering)                                                                                           \
    X(CountIncoming)                                                                                         \
    X(GetIncomingValue)                                                                                      \
    X(GetIncomingBlock)                                                                                      \
    X(GetNumSuccessors)                                                                                      \
    X(GetSuccessor)                                                                                          \
    X(IsConditional)                                                                                         \
    X(GetCondition)                                                                                          \
    X(GetNormalDest)                                                                                         \
    X(GetUnwindDest)                                                                                         \
    X(GetCalledValue)                                                                                        \
    X(GetCalledFunctionType)                                                                                 \
    X(GetNumArgOperands)                                                                                     \
    X(GetIntrinsicID)                                                                                        \
    X(GetInlineAsmAsmString)                                                                                 \
    X(InstructionGetDebugLoc)                                                                                \
    X(DILocationGetLine)                                                                                     \
    X(DILocationGetColumn)                                                                                   \
    X(DILocationGetScope)                                                                                    \
    X(DILocationGetInlinedAt)                                                                                \
    X(DIScopeGetFile)                                                                                        \
    X(DIFileGetFilename)

struct llvm {
    void *library;
#define LLVM_MEMBER(name) __typeof__(LLVM##name) *name;
    LLVM_FUNCTIONS(LLVM_MEMBER)
#undef LLVM_MEMBER
};

/* Loads libLLVM (once a process: it cannot be unloaded) and fills *out. */
bool llvm_load(struct llvm *out, struct error *err);

#endif
