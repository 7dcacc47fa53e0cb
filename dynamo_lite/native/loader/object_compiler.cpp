// Objects from LLVM's text while Python goes on: a thread works off the modules one after the other,
// and who asks for the objects helps it.
#include "base/core.h"
#include "loader/llvm_library.h"
#include "runtime/runtime.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <new>
#include <pthread.h>
#include <unistd.h>

namespace {

constexpr size_t STACK_BYTES = 8 << 20;  // LLVM recurses deeply on long functions

class Work {
public:
    Work(const char *library, const char *cpu) : path(library), cpu(cpu) {}

    // Without a thread everything is done by `finish`.
    void start();
    void add(LlvmModule &&module);
    void finish();
    // Forgets what nobody has begun.
    void drop();
    bool is_here() const { return process == getpid(); }

    std::deque<LlvmModule> modules;

private:
    static void *run(void *work);
    void work_off(bool waits);
    void compile(LlvmModule &module);

    const std::string path, cpu;
    const pid_t process = getpid();
    std::mutex mutex;
    std::condition_variable changed;
    size_t next = 0;
    bool closed = false, has_thread = false;
    pthread_t thread;
};

void *Work::run(void *object) {
    static std::atomic<bool> is_warm{false};
    auto *work = static_cast<Work *>(object);
    if (!is_warm.exchange(true)) {  // a third of LLVM's time for a first module is for being the first
        LlvmModule first{"define void @f() { ret void }", 2, 0, {}, {}};
        work->compile(first);
    }
    work->work_off(true);
    return nullptr;
}

void Work::compile(LlvmModule &module) {
    try {
        compile_module(path, cpu, module);
    } catch (const std::bad_alloc &) {
        module.error = "no memory";
    }
}

void Work::work_off(bool waits) {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
        if (waits) changed.wait(lock, [this] { return closed || next < modules.size(); });
        if (next == modules.size()) return;
        LlvmModule &module = modules[next++];
        lock.unlock();
        compile(module);
        lock.lock();
    }
}

// Signals stay with the threads that Python knows.
void Work::start() {
    sigset_t all, previous;
    sigfillset(&all);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    has_thread = pthread_create(&thread, &attributes, run, this) == 0;
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    pthread_attr_destroy(&attributes);
}

void Work::add(LlvmModule &&module) {
    std::lock_guard<std::mutex> lock(mutex);
    modules.push_back(std::move(module));
    changed.notify_one();
}

void Work::finish() {
    {
        std::lock_guard<std::mutex> lock(mutex);
        closed = true;
        changed.notify_one();
    }
    work_off(false);
    if (has_thread) pthread_join(thread, nullptr);
    has_thread = false;
}

void Work::drop() {
    std::lock_guard<std::mutex> lock(mutex);
    next = modules.size();
}

struct ObjectCompiler {
    PyObject_HEAD
    Work *work;
};

Work *work_of(PyObject *self) { return reinterpret_cast<ObjectCompiler *>(self)->work; }

// What was under way in the parent has no thread in a forked child: it is left behind.
bool is_usable(Work *work) {
    if (work->is_here()) return true;
    PyErr_SetString(PyExc_RuntimeError, "this began before the process was forked");
    return false;
}

PyObject *compiler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *path, *cpu;
    if (kwargs && PyDict_GET_SIZE(kwargs)) {
        return PyErr_Format(PyExc_TypeError, "ObjectCompiler takes no keyword arguments");
    }
    if (!PyArg_ParseTuple(args, "ss:ObjectCompiler", &path, &cpu)) return nullptr;
    Ref self(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    Work *work = new (std::nothrow) Work(path, cpu);
    if (!work) return PyErr_NoMemory();
    reinterpret_cast<ObjectCompiler *>(self.get())->work = work;
    if (num_threads() > 1) work->start();
    return self.release();
}

void finish_without_gil(Work *work) {
    Py_BEGIN_ALLOW_THREADS
    work->finish();
    Py_END_ALLOW_THREADS
}

void compiler_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (Work *work = work_of(self); work && work->is_here()) {
        work->drop();
        finish_without_gil(work);
        delete work;
    }
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *compiler_add(PyObject *self, PyObject *args) {
    const char *text;
    Py_ssize_t size;
    int effort, passes;
    if (!PyArg_ParseTuple(args, "s#ii:add", &text, &size, &effort, &passes)) return nullptr;
    if (!is_usable(work_of(self))) return nullptr;
    work_of(self)->add({std::string(text, size), effort, passes, {}, {}});
    Py_RETURN_NONE;
}

PyObject *compiler_objects(PyObject *self, PyObject *) {
    Work *work = work_of(self);
    if (!is_usable(work)) return nullptr;
    finish_without_gil(work);
    Ref objects(PyList_New(0));
    for (const LlvmModule &module : work->modules) {
        if (!objects) return nullptr;
        if (!module.error.empty()) {
            return PyErr_Format(PyExc_RuntimeError, "%s", module.error.c_str());
        }
        Ref object(PyBytes_FromStringAndSize(module.object.data(), module.object.size()));
        if (!object || PyList_Append(objects.get(), object.get()) < 0) return nullptr;
    }
    return objects.release();
}

PyObject *compiler_release_idle(PyObject *, PyObject *) {
    let_go_of_idle_llvm();
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"add", compiler_add, METH_VARARGS,
     "add($self, text, effort, passes, /)\n--\n\nBegin to compile a module."},
    {"objects", compiler_objects, METH_NOARGS,
     "objects($self, /)\n--\n\nThe relocatable objects of all modules, in their order; the end."},
    {"release_idle", compiler_release_idle, METH_NOARGS | METH_STATIC,
     "release_idle()\n--\n\nGive back the memory of LLVM's file if nothing has been compiled lately."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("ObjectCompiler(library, cpu, /)\n--\n\n"
                                   "Compiles LLVM's text with llvmlite's library, in a thread.")},
    {Py_tp_new, reinterpret_cast<void *>(compiler_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(compiler_dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.ObjectCompiler", sizeof(ObjectCompiler), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots,
};

}  // namespace

int add_object_compiler(PyObject *module) {
    if (watch_llvm() != 0) return -1;
    Ref type(PyType_FromSpec(&spec));
    return type ? PyModule_AddObjectRef(module, "ObjectCompiler", type.get()) : -1;
}
