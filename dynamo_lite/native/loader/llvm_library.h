// llvmlite's library of LLVM, called without Python.
#pragma once

#include <string>

// One module: LLVM's text, how hard to try (0 to 3), whether its variables on the stack are to be
// kept in registers (1 of `passes`) and all else is done that LLVM can do for @entry (2); and what
// became of it.
struct LlvmModule {
    std::string text;
    int effort;
    int passes;
    std::string object, error;
};

// Makes the object, or says why there is none. Any thread may call it, with the GIL or without it.
// The library at `path` is loaded when it is first needed.
void compile_module(const std::string &path, const std::string &cpu, LlvmModule &module);

// Gives back the memory of LLVM's file if nothing has been compiled for half a second.
void let_go_of_idle_llvm();

// Called once. From then on what LLVM is at work on ends before a process is forked, in whose child it
// would stay half done, and before the interpreter ends.
int watch_llvm();
