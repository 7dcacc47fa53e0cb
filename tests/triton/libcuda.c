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
    FILE *log = fopen(getenv("LAUNCH_LOG"), "a");
    int count = atoi(getenv("LAUNCH_PARAMETERS"));
    fprintf(log, "%s %u %u %u %u %u %u %u %zu %d", ((Function *)function)->name, gx, gy, gz, bx, by,
            bz, shared, (size_t)stream, extra == NULL);
    for (int i = 0; i < count; i++) fprintf(log, " %lld", *(long long *)parameters[i]);
    fprintf(log, "\n");
    fclose(log);
    return getenv("LAUNCH_FAILS") ? 719 : 0;
}
