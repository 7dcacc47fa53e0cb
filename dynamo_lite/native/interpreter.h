// interpreter.c, for C++.
#pragma once

extern "C" {
int something_pending(void);
int is_monitored(void);
long filters_version(void);
void set_filters_version(long version);
unsigned long hold_signals(void);
void release_signals(unsigned long main);
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
