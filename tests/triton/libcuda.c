/* A driver that only writes down what it is asked to launch: one line per launch. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char name[64]; int shared_limit; } Function;

int cuInit(unsigned flags) { return flags; }
int cuCtxGetCurrent(void **context) { *context = (void *)1; return 0; }
int cuModuleLoadData(void **module, const void *image) {
    *module = (void *)image;
    return memcmp(image, "\177ELF", 4) ? 200 : 0;
}
int cuModuleUnload(void *module) { return module ? 0 : 1; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    Function *made = calloc(1, sizeof *made);
    strncpy(made->name, name, sizeof made->name - 1);
    *function = made;
    return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
    if (attribute == 8) ((Function *)function)->shared_limit = value;
    return 0;
}
int cuGetErrorString(int error, const char **text) { *text = "told to fail"; return 0; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    if (getenv("LAUNCH_FAILS")) return 719;
    const char *path = getenv("LAUNCH_LOG");
    if (!path) return 0;
    FILE *log = fopen(path, "a");
    int count = atoi(getenv("LAUNCH_PARAMETERS"));
    fprintf(log, "%s %u %u %u %u %u %u %u %zu %d", ((Function *)function)->name, gx, gy, gz, bx, by,
            bz, shared, (size_t)stream, extra == NULL);
    for (int i = 0; i < count; i++) fprintf(log, " %lld", *(long long *)parameters[i]);
    fprintf(log, "\n");
    fclose(log);
    return 0;
}

/* Graphs: what is launched on the stream that captures is written down as well; launching a graph
   is a line of its own. */
int cuStreamCreate(void **stream, unsigned flags) { *stream = (void *)99; return flags != 1; }
int cuStreamBeginCapture_v2(void *stream, int mode) { return stream == (void *)99 ? 0 : mode; }
int cuStreamEndCapture(void *stream, void **graph) { *graph = stream; return 0; }
int cuGraphInstantiateWithFlags(void **made, void *graph, unsigned long long flags) {
    *made = graph;
    return (int)flags;
}
int cuGraphLaunch(void *graph, void *stream) {
    const char *path = getenv("LAUNCH_LOG");
    if (!path) return 0;
    FILE *log = fopen(path, "a");
    fprintf(log, "graph %zu %zu\n", (size_t)graph, (size_t)stream);
    fclose(log);
    return 0;
}
int cuGraphExecDestroy(void *graph) { return graph ? 0 : 1; }
int cuGraphDestroy(void *graph) { return graph ? 0 : 1; }
