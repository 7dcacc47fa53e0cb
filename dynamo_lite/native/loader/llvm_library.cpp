#include "loader/llvm_library.h"
#include "base/core.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

// The functions that are needed, as they are in llvmlite 0.46 to 0.50.
struct Functions {
    void (*initialize_target)();
    void (*initialize_printer)();
    void (*process_triple)(const char **triple);
    void *(*target_of)(const char *triple, const char **error);
    void *(*create_machine)(void *target, const char *triple, const char *cpu, const char *features,
                            int effort, const char *relocations, const char *code_model,
                            int prints, int jit, const char *abi);
    void *(*create_context)();
    void (*dispose_context)(void *context);
    void *(*parse)(void *context, const char *text, const char **error);
    void (*set_triple)(void *module, const char *triple);
    void (*dispose_module)(void *module);
    void *(*create_options)();
    void (*dispose_options)(void *options);
    void *(*create_builder)(void *machine, void *options);
    void (*dispose_builder)(void *builder);
    void *(*create_passes)();
    void (*dispose_passes)(void *passes);
    void (*add_registers)(void *passes);
    void (*add_rotation)(void *passes);
    void (*add_branches)(void *passes);
    void *(*all_function_passes)(void *builder, int level);
    void (*add_dead_code)(void *passes);
    void (*run_passes)(void *passes, void *module, void *builder);
    void *(*function)(void *module, const char *name);
    void *(*create_function_passes)();
    void (*dispose_function_passes)(void *passes);
    void (*run_function_passes)(void *passes, void *function, void *builder);
    void *(*emit)(void *machine, void *module, int as_object, const char **error);
    const char *(*buffer_start)(void *buffer);
    size_t (*buffer_size)(void *buffer);
    void (*dispose_buffer)(void *buffer);
    void (*dispose_string)(const char *text);
};

using Pages = std::vector<std::pair<void *, size_t>>;

// Each phase of LLVM touches tens of megabytes of its file, which are not to be in memory all at a
// time. What is needed again comes from the system's cache of files, in about 6 ms: where one
// module follows another, it is let go of twice a second, for the first time when LLVM has been
// there for so long.
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds soon(500);
std::atomic<Clock::rep> let_go_at{0}, compiled_at{0};

Clock::rep now() { return Clock::now().time_since_epoch().count(); }

bool may_let_go() {
    const Clock::rep time = now();
    if (Clock::duration(time - let_go_at) < soon) return false;
    let_go_at = time;
    return true;
}

// What is there once per process.
struct Library {
    Functions llvm;
    std::string triple, error;
    void *target = nullptr;

    void load(const std::string &path);
    bool find_all(void *handle);
    std::string taken(const char *text) const;
    void let_go() const;

private:
    Pages unwritten;  // as they are in the file
    void find_unwritten(void *handle);
};

// A target machine is used by one thread at a time.
using MachineKey = std::pair<std::string, int>;
std::mutex machines_mutex;
std::multimap<MachineKey, void *> machines;

// `std::call_once` would need a variable of libstdc++'s for each thread: where another module has
// brought that library, there is no room for these any more.
Library library;
std::mutex loading;
bool loaded = false;

void load_library(const std::string &path) {
    std::lock_guard<std::mutex> lock(loading);
    if (!loaded) library.load(path);
    loaded = true;
}

// LLVM's own text as a string of ours.
std::string Library::taken(const char *text) const {
    std::string copy = text ? text : "";
    if (text) llvm.dispose_string(text);
    return copy;
}

#ifdef __linux__
using Address = ElfW(Addr);

// The whole pages of the parts of a library that nobody writes to.
int add_unwritten(dl_phdr_info *info, size_t, void *found) {
    auto &[base, pages] = *static_cast<std::pair<Address, Pages *> *>(found);
    if (info->dlpi_addr != base) return 0;
    const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || part.p_flags & PF_W) continue;
        const Address start = base + part.p_vaddr;
        const Address first = (start + page - 1) / page * page;
        const Address end = (start + part.p_memsz) / page * page;
        if (first < end) pages->emplace_back(reinterpret_cast<void *>(first), end - first);
    }
    return 1;
}

void Library::find_unwritten(void *handle) {
    link_map *map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map)) return;
    std::pair<Address, Pages *> found(map->l_addr, &unwritten);
    dl_iterate_phdr(add_unwritten, &found);
}

void Library::let_go() const {
    for (auto [start, size] : unwritten) madvise(start, size, MADV_DONTNEED);
}
#else
void Library::find_unwritten(void *) {}
void Library::let_go() const {}
#endif

bool Library::find_all(void *handle) {
    auto find = [&](const char *name, auto *slot) {
        void *found = dlsym(handle, (std::string("LLVMPY_") + name).c_str());
        *slot = reinterpret_cast<std::remove_reference_t<decltype(*slot)>>(found);
        if (!found) error = std::string("llvmlite's library has no ") + name;
    };
    find("InitializeNativeTarget", &llvm.initialize_target);
    find("InitializeNativeAsmPrinter", &llvm.initialize_printer);
    find("GetProcessTriple", &llvm.process_triple);
    find("GetTargetFromTriple", &llvm.target_of);
    find("CreateTargetMachine", &llvm.create_machine);
    find("ContextCreate", &llvm.create_context);
    find("ContextDispose", &llvm.dispose_context);
    find("ParseAssembly", &llvm.parse);
    find("SetTarget", &llvm.set_triple);
    find("DisposeModule", &llvm.dispose_module);
    find("CreatePipelineTuningOptions", &llvm.create_options);
    find("DisposePipelineTuningOptions", &llvm.dispose_options);
    find("CreatePassBuilder", &llvm.create_builder);
    find("DisposePassBuilder", &llvm.dispose_builder);
    find("CreateNewModulePassManager", &llvm.create_passes);
    find("DisposeNewModulePassManger", &llvm.dispose_passes);
    find("module_AddSROAPass", &llvm.add_registers);
    find("function_AddLoopRotatePass", &llvm.add_rotation);
    find("function_AddSimplifyCFGPass", &llvm.add_branches);
    find("module_AddDCEPass", &llvm.add_dead_code);
    find("buildFunctionSimplificationPipeline", &llvm.all_function_passes);
    find("RunNewModulePassManager", &llvm.run_passes);
    find("GetNamedFunction", &llvm.function);
    find("CreateNewFunctionPassManager", &llvm.create_function_passes);
    find("DisposeNewFunctionPassManger", &llvm.dispose_function_passes);
    find("RunNewFunctionPassManager", &llvm.run_function_passes);
    find("TargetMachineEmitToMemory", &llvm.emit);
    find("GetBufferStart", &llvm.buffer_start);
    find("GetBufferSize", &llvm.buffer_size);
    find("DisposeMemoryBuffer", &llvm.dispose_buffer);
    find("DisposeString", &llvm.dispose_string);
    return error.empty();
}

void Library::load(const std::string &path) {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        error = why ? why : path;
        return;
    }
    if (!find_all(handle)) return;
    find_unwritten(handle);
    llvm.initialize_target();
    llvm.initialize_printer();
    const char *text = nullptr, *message = nullptr;
    llvm.process_triple(&text);
    triple = taken(text);
    target = llvm.target_of(triple.c_str(), &message);
    if (!target) error = taken(message);
    let_go();
    let_go_at = now();
}

// Gives the machine back for the next module.
class UsedMachine {
public:
    UsedMachine(const std::string &cpu, int effort) : key(cpu, effort) {
        std::lock_guard<std::mutex> lock(machines_mutex);
        if (auto found = machines.find(key); found != machines.end()) {
            machine = found->second;
            machines.erase(found);
        }
        if (!machine) {
            machine = library.llvm.create_machine(library.target, library.triple.c_str(),
                                                  cpu.c_str(), "", effort, "pic", "small", 0, 0, "");
        }
    }
    ~UsedMachine() {
        std::lock_guard<std::mutex> lock(machines_mutex);
        if (machine) machines.emplace(key, machine);
    }
    UsedMachine(const UsedMachine &) = delete;
    void *get() const { return machine; }

private:
    MachineKey key;
    void *machine = nullptr;
};

using Owned = std::unique_ptr<void, void (*)(void *)>;

void *loop_passes(const Functions &llvm) {
    void *passes = llvm.create_function_passes();
    llvm.add_rotation(passes);
    llvm.add_branches(passes);
    return passes;
}

// On the function of a whole program, and those of it that call themselves; kernels have loops of
// their own.
void run_entry_passes(const Functions &llvm, void *parsed, void *builder, bool all) {
    Owned passes(all ? llvm.all_function_passes(builder, 2) : loop_passes(llvm),
                 llvm.dispose_function_passes);
    std::string name = "entry";
    for (int i = 0; void *function = llvm.function(parsed, name.c_str()); i++) {
        llvm.run_function_passes(passes.get(), function, builder);
        name = "recursive" + std::to_string(i);
    }
}

void run_passes(const Functions &llvm, void *machine, void *parsed, int passes) {
    Owned options(llvm.create_options(), llvm.dispose_options);
    Owned builder(llvm.create_builder(machine, options.get()), llvm.dispose_builder);
    auto run = [&](void (*add)(void *)) {
        Owned added(llvm.create_passes(), llvm.dispose_passes);
        add(added.get());
        llvm.run_passes(added.get(), parsed, builder.get());
    };
    if (passes) {
        run(llvm.add_registers);
        run_entry_passes(llvm, parsed, builder.get(), passes == 2);
    }
    run(llvm.add_dead_code);
}

void compile(const std::string &cpu, LlvmModule &module) {
    const Functions &llvm = library.llvm;
    const bool lets_go = may_let_go();
    UsedMachine machine(cpu, module.effort);
    if (!machine.get()) {
        module.error = "LLVM knows no " + cpu;
        return;
    }
    const char *message = nullptr;
    Owned context(llvm.create_context(), llvm.dispose_context);
    Owned parsed(llvm.parse(context.get(), module.text.c_str(), &message), llvm.dispose_module);
    if (!parsed) {
        module.error = "LLVM IR parsing error\n" + library.taken(message);
        return;
    }
    llvm.set_triple(parsed.get(), library.triple.c_str());
    run_passes(llvm, machine.get(), parsed.get(), module.passes);
    if (lets_go) library.let_go();
    Owned buffer(llvm.emit(machine.get(), parsed.get(), 1, &message), llvm.dispose_buffer);
    if (lets_go) library.let_go();
    if (!buffer) {
        module.error = library.taken(message);
        return;
    }
    module.object.assign(llvm.buffer_start(buffer.get()), llvm.buffer_size(buffer.get()));
    compiled_at = lets_go ? 0 : now();
}

// Many may be at work, or one holds them all up; `gate` lets those wait who come behind that one.
std::mutex gate;
std::shared_mutex at_work;
bool ended = false;  // the interpreter

class AtWork {
public:
    AtWork() {
        std::lock_guard<std::mutex> passing(gate);
        at_work.lock_shared();
    }
    ~AtWork() { at_work.unlock_shared(); }
    AtWork(const AtWork &) = delete;
};

void hold() {
    std::lock_guard<std::mutex> passing(gate);
    at_work.lock();
}

void go_on() { at_work.unlock(); }

// Static objects are destroyed next, those of LLVM among them.
void end() {
    hold();
    ended = true;
    go_on();
}

// Only the forking thread is there, and it holds the lock.
void after_fork_in_child() {
    new (&gate) std::mutex;
    new (&at_work) std::shared_mutex;
}

}  // namespace

int watch_llvm() {
    static bool watched = false;
    if (watched) return 0;
    watched = pthread_atfork(hold, go_on, after_fork_in_child) == 0;
    return Py_AtExit(end);
}

void compile_module(const std::string &path, const std::string &cpu, LlvmModule &module) {
    AtWork busy;
    if (ended) return;
    load_library(path);
    if (library.error.empty()) {
        compile(cpu, module);
    } else {
        module.error = library.error;
    }
}

void let_go_of_idle_llvm() {
    const Clock::rep last = compiled_at;
    if (last == 0 || Clock::duration(now() - last) < soon) return;
    compiled_at = 0;
    library.let_go();
}
