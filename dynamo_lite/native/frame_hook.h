// Running a plain function without being intercepted: not by a region, not by a redirection.
#pragma once
#include "core.h"

extern vectorcallfunc plain_vectorcall;  // of functions that nobody redirected
extern int installed_regions;  // how many regions want frames now, over all threads

PyObject *run_outside_regions(PyObject *function, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames);

// While this lives, the thread is in no region, and no frame of it is intercepted.
class OutsideRegions {
public:
    OutsideRegions();
    ~OutsideRegions();
    OutsideRegions(const OutsideRegions &) = delete;

private:
    void *left;
};

inline PyObject *run_plain(PyObject *function, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames) {
    return installed_regions ? run_outside_regions(function, args, nargsf, kwnames)
                             : plain_vectorcall(function, args, nargsf, kwnames);
}
