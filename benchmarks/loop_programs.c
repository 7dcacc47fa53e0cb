/* The programs with loops that Numba refuses, as a C programmer would write them: no checks of
   bounds, of overflow or of what arrays hold. `in_c.py` calls them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t integer;

static integer least(integer a, integer b) { return a < b ? a : b; }

/* -- dynamic programming */

integer levenshtein(const integer *a, const integer *b, integer n, integer m) {
    integer *d = calloc((n + 1) * (m + 1), sizeof *d), w = m + 1;
    for (integer i = 0; i <= n; i++) d[i * w] = i;
    for (integer j = 0; j <= m; j++) d[j] = j;
    for (integer i = 1; i <= n; i++)
        for (integer j = 1; j <= m; j++) {
            integer substitution = a[i - 1] != b[j - 1];
            d[i * w + j] = least(least(d[(i - 1) * w + j] + 1, d[i * w + j - 1] + 1),
                                 d[(i - 1) * w + j - 1] + substitution);
        }
    integer result = d[n * w + m];
    free(d);
    return result;
}

integer longest_common_subsequence(const char *a, const char *b, integer n, integer m) {
    integer *d = calloc((n + 1) * (m + 1), sizeof *d), w = m + 1;
    for (integer i = 1; i <= n; i++)
        for (integer j = 1; j <= m; j++) {
            integer up = d[(i - 1) * w + j], left = d[i * w + j - 1];
            d[i * w + j] = a[i - 1] == b[j - 1] ? d[(i - 1) * w + j - 1] + 1 : -least(-up, -left);
        }
    integer result = d[n * w + m];
    free(d);
    return result;
}

void viterbi(const double *start, const double *transition, const double *emission,
             const integer *observed, integer states, integer kinds, integer steps,
             integer *path) {
    double *score = calloc(steps * states, sizeof *score);
    integer *back = calloc(steps * states, sizeof *back);
    for (integer s = 0; s < states; s++) score[s] = start[s] + emission[s * kinds + observed[0]];
    for (integer t = 1; t < steps; t++)
        for (integer s = 0; s < states; s++) {
            double best = -INFINITY;
            integer where = 0;
            for (integer p = 0; p < states; p++) {
                double value = score[(t - 1) * states + p] + transition[p * states + s];
                if (value > best) best = value, where = p;
            }
            score[t * states + s] = best + emission[s * kinds + observed[t]];
            back[t * states + s] = where;
        }
    const double *last = score + (steps - 1) * states;
    path[steps - 1] = 0;
    for (integer s = 1; s < states; s++)
        if (last[s] > last[path[steps - 1]]) path[steps - 1] = s;
    for (integer t = steps - 2; t >= 0; t--) path[t] = back[(t + 1) * states + path[t + 1]];
    free(score);
    free(back);
}

/* -- counting and searching */

void histogram(const double *x, integer n, integer bins, integer *counts) {
    double low = x[0], high = x[0];
    for (integer i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    double width = (high - low) / bins;
    memset(counts, 0, bins * sizeof *counts);
    for (integer i = 0; i < n; i++) {
        integer b = (integer)((x[i] - low) / width);
        if (b == bins) b--;
        counts[b]++;
    }
}

void binary_search(const double *a, integer n, const double *wanted, integer many,
                   integer *found) {
    for (integer i = 0; i < many; i++) {
        integer low = 0, high = n;
        while (low < high) {
            integer middle = (low + high) / 2;
            if (a[middle] < wanted[i]) low = middle + 1;
            else high = middle;
        }
        found[i] = low;
    }
}

void breadth_first(const integer *starts, const integer *neighbours, integer n, integer source,
                   integer *distance) {
    integer *queue = calloc(n, sizeof *queue), head = 0, tail = 1;
    for (integer i = 0; i < n; i++) distance[i] = -1;
    queue[0] = source, distance[source] = 0;
    while (head < tail) {
        integer u = queue[head++];
        for (integer k = starts[u]; k < starts[u + 1]; k++) {
            integer v = neighbours[k];
            if (distance[v] < 0) {
                distance[v] = distance[u] + 1;
                queue[tail++] = v;
            }
        }
    }
    free(queue);
}

integer flood_fill(const char *cells, integer rows, integer columns, integer row, integer column) {
    char *seen = calloc(rows * columns, 1);
    integer(*stack)[2] = malloc((4 * rows * columns + 1) * sizeof *stack), top = 0, area = 0;
    stack[top][0] = row, stack[top++][1] = column;
    while (top) {
        integer i = stack[--top][0], j = stack[top][1];
        if (i < 0 || j < 0 || i >= rows || j >= columns) continue;
        if (seen[i * columns + j] || !cells[i * columns + j]) continue;
        seen[i * columns + j] = 1;
        area++;
        stack[top][0] = i + 1, stack[top++][1] = j;
        stack[top][0] = i - 1, stack[top++][1] = j;
        stack[top][0] = i, stack[top++][1] = j + 1;
        stack[top][0] = i, stack[top++][1] = j - 1;
    }
    free(seen);
    free(stack);
    return area;
}

integer queens(integer n) {
    integer *columns = calloc(n, sizeof *columns), row = 0, found = 0;
    columns[0] = -1;
    while (row >= 0) {
        if (++columns[row] == n) {
            row--;
            continue;
        }
        integer is_free = 1;
        for (integer k = 0; k < row; k++) {
            integer apart = llabs(columns[row] - columns[k]);
            if (apart == 0 || apart == row - k) {
                is_free = 0;
                break;
            }
        }
        if (is_free) {
            if (row == n - 1) found++;
            else columns[++row] = -1;
        }
    }
    free(columns);
    return found;
}

static integer place(integer row, integer n, integer columns, integer rising, integer falling) {
    if (row == n) return 1;
    integer total = 0;
    for (integer column = 0; column < n; column++) {
        integer bit = (integer)1 << column;
        if (!(columns & bit || rising & bit || falling & bit))
            total += place(row + 1, n, columns | bit, (rising | bit) << 1, (falling | bit) >> 1);
    }
    return total;
}

integer queens_recursive(integer n) { return place(0, n, 0, 0, 0); }

uint64_t fnv_bytes(const unsigned char *data, integer n) {
    uint64_t h = 0xcbf29ce484222325;
    for (integer i = 0; i < n; i++) h = (h ^ data[i]) * 0x100000001b3;
    return h;
}

void moving_average_with_a_deque(const double *x, integer n, integer window, double *out) {
    double total = 0.0, recent[window];
    integer count = 0, oldest = 0;
    for (integer i = 0; i < n; i++) {
        if (count == window) {
            total -= recent[oldest];
            recent[oldest] = x[i];
            oldest = oldest + 1 == window ? 0 : oldest + 1;
        } else {
            recent[count++] = x[i];
        }
        total += x[i];
        out[i] = total / count;
    }
}

/* -- objects */

typedef struct { double b0, b1, b2, a1, a2, z1, z2; } Biquad;

static double filtered(Biquad *f, double x) {
    double y = f->b0 * x + f->z1;
    f->z1 = f->b1 * x - f->a1 * y + f->z2;
    f->z2 = f->b2 * x - f->a2 * y;
    return y;
}

double biquad(const double *x, integer n, double *y) {
    Biquad f = {0.2, 0.3, 0.2, -0.5, 0.2, 0.0, 0.0};
    for (integer i = 0; i < n; i++) y[i] = filtered(&f, x[i]);
    return f.z1;
}

void oscillator(integer n, double *place) {
    double x = 1.0, v = 0.0;
    for (integer i = 0; i < n; i++) {
        v -= x * 0.01;
        x += v * 0.01;
    }
    place[0] = x, place[1] = v;
}

void vectors(const double *values, integer n, double *place) {
    double x = 0.0, y = 1.0, speed_x = 1.0, speed_y = 0.5;
    for (integer i = 0; i < n; i++) {
        speed_x += values[i] * 0.01;
        speed_y += -0.5 * 0.01;
        if (y < 0) speed_y = -speed_y;
        x += speed_x * 0.01;
        y += speed_y * 0.01;
    }
    place[0] = x, place[1] = y;
}

static void slope(const double *y, double *made) {
    made[0] = y[1];
    made[1] = (1 - y[0] * y[0]) * y[1] - y[0];
}

integer runge_kutta(double end, double *y, double *time) {
    double t = 0.0, h = 0.01, tol = 1e-5, k1[2], k2[2], k3[2], k4[2], at[2], new[2];
    integer rejected = 0;
    y[0] = 2.0, y[1] = 0.0;
    while (t < end) {
        slope(y, k1);
        for (int i = 0; i < 2; i++) at[i] = y[i] + h / 2 * k1[i];
        slope(at, k2);
        for (int i = 0; i < 2; i++) at[i] = y[i] + 3 * h / 4 * k2[i];
        slope(at, k3);
        for (int i = 0; i < 2; i++)
            new[i] = y[i] + h * (2. / 9 * k1[i] + 1. / 3 * k2[i] + 4. / 9 * k3[i]);
        slope(new, k4);
        double error = 0.0;
        for (int i = 0; i < 2; i++) {
            double one = fabs(h * (-5. / 72 * k1[i] + k2[i] / 12 + k3[i] / 9 - k4[i] / 8));
            error = one > error ? one : error;
        }
        if (error < tol) {
            t += h;
            y[0] = new[0], y[1] = new[1];
        } else {
            rejected++;
        }
        double factor = 0.9 * sqrt(tol / (1e-12 > error ? 1e-12 : error));
        factor = factor > 0.3 ? factor : 0.3;
        h *= factor < 2.0 ? factor : 2.0;
    }
    *time = t;
    return rejected;
}

/* -- random numbers: those of NumPy's generators by its own library, and Python's */

typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *);
    uint32_t (*next_uint32)(void *);
    double (*next_double)(void *);
} Generator;

double random_normal(Generator *, double mean, double deviation);

void gibbs(Generator *rng, integer n, double *out) {
    double x = 0.0, y = 0.0;
    for (integer i = 0; i < n; i++) {
        x = random_normal(rng, 0.5 * y, 0.8);
        y = random_normal(rng, 0.5 * x, 0.8);
        out[2 * i] = x, out[2 * i + 1] = y;
    }
}

double pi_by_sampling(Generator *rng, integer n) {
    integer inside = 0;
    for (integer i = 0; i < n; i++) {
        double x = rng->next_double(rng->state), y = rng->next_double(rng->state);
        if (x * x + y * y <= 1.0) inside++;
    }
    return 4.0 * inside / n;
}

/* The Mersenne Twister, as in mt19937ar.c of Matsumoto and Nishimura. */
enum { WORDS = 624, AHEAD = 397 };
typedef struct { uint32_t words[WORDS]; int next; } Twister;

static void seeded(Twister *twister, uint32_t key) {
    uint32_t *w = twister->words;
    w[0] = 19650218;
    for (int i = 1; i < WORDS; i++) w[i] = 1812433253 * (w[i - 1] ^ (w[i - 1] >> 30)) + i;
    int i = 1;
    for (int k = 0; k < 2 * WORDS - 1; k++) {
        uint32_t mixed = w[i - 1] ^ (w[i - 1] >> 30);
        w[i] = k < WORDS ? (w[i] ^ mixed * 1664525) + key : (w[i] ^ mixed * 1566083941) - i;
        if (++i == WORDS) w[0] = w[WORDS - 1], i = 1;
    }
    w[0] = 0x80000000;
    twister->next = WORDS;
}

static uint32_t twisted(uint32_t high, uint32_t low) {
    uint32_t y = (high & 0x80000000) | (low & 0x7fffffff);
    return y >> 1 ^ (-(y & 1) & 0x9908b0df);
}

static uint32_t word(Twister *twister) {
    uint32_t *w = twister->words;
    if (twister->next == WORDS) {
        int i = 0;
        for (; i < WORDS - AHEAD; i++) w[i] = w[i + AHEAD] ^ twisted(w[i], w[i + 1]);
        for (; i < WORDS - 1; i++) w[i] = w[i + AHEAD - WORDS] ^ twisted(w[i], w[i + 1]);
        w[i] = w[AHEAD - 1] ^ twisted(w[i], w[0]);
        twister->next = 0;
    }
    uint32_t y = w[twister->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

static double uniform(Twister *twister) {
    uint32_t a = word(twister) >> 5, b = word(twister) >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

integer metropolis(integer n, double *sum) {
    Twister twister;
    seeded(&twister, 1);
    double x = 0.0, total = 0.0;
    integer accepted = 0;
    for (integer i = 0; i < n; i++) {
        double y = x + (-1.0 + 2.0 * uniform(&twister));
        double ratio = (1.0 + x * x) / (1.0 + y * y);
        if (uniform(&twister) < (ratio < 1.0 ? ratio : 1.0)) {
            x = y;
            accepted++;
        }
        total += x;
    }
    *sum = total;
    return accepted;
}
