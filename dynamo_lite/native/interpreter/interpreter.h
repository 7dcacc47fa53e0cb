// interpreter.c, for C++.
#pragma once

extern "C" {
extern bool sample_is_due;
PyObject **place_in_frame(PyFrameObject *frame, int slot);
void set_place(PyFrameObject *frame, int offset);
int is_running(PyFrameObject *frame);
PyThreadState *main_thread(void);
void look_for_calls(PyThreadState *main);
int something_pending(PyThreadState *thread);
int others_wait(PyThreadState *thread);
int is_monitored(void);
int lines_are_watched(PyThreadState *thread);
long filters_version(void);
void set_filters_version(long version);
unsigned long hold_signals(void);
void release_signals(unsigned long main);
int hold_collection(void);
void release_collection(int before);
int is_alone(void);
int has_frozen(void);
void keep_from(PyObject *first);
PyObject *present_dict(PyObject *object);
PyObject *own_value(PyObject *object, PyObject *name);
void track_memory(unsigned domain, void *memory, size_t nbytes);
}

// While this lives, signals wait: their handlers run, and raise, in the program's own code.
class SignalsWait {
public:
    SignalsWait() : main(hold_signals()) {}
    ~SignalsWait() { release_signals(main); }
    SignalsWait(const SignalsWait &) = delete;

private:
    unsigned long main;
};

// While this lives, garbage is collected only where a program says so: what a compilation makes is
// alive until its end, and going through it again and again takes a tenth of its time.
class CollectionWaits {
public:
    CollectionWaits() : before(hold_collection()) {}
    ~CollectionWaits() { release_collection(before); }
    CollectionWaits(const CollectionWaits &) = delete;

private:
    int before;
};
