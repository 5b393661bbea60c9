/* Times CHOLMOD on one dumped model: supernodal LL', AMD ordering.
 *
 *   cholmod_bench FOLDER     reads FOLDER/stiffness.bin and FOLDER/load.bin,
 *                            prints one JSON object on one line
 *   cholmod_bench --blas     prints the BLAS in use
 *
 * stiffness.bin: u64 n, u64 nnz, n+1 u64 column offsets, nnz u64 row indices,
 *                nnz f64 values; lower triangle by columns, with the diagonal
 * load.bin:      u64 n, n f64
 * All little endian. "threads" is OpenBLAS's number, from the environment
 * variable OPENBLAS_NUM_THREADS; "process_threads" counts every thread of the
 * process at the end, those that CHOLMOD opens through OpenMP included.
 *
 * Analysis, factorisation and solution are run REPEATS times from nothing; the
 * smallest time of each is printed, and "total" is the sum of the three.
 * "residual" is |Kx - f| / |f| in the 2-norm. "loaded_rss_mb" is the peak
 * memory of the process after reading the files, "peak_rss_mb" at the end.
 */
#define _GNU_SOURCE
#include <cholmod.h>
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the files are little endian, and so must the machine be"
#endif

enum { REPEATS = 3, CHUNK = 65536 };

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("cholmod_bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void on_cholmod_error(int status, const char *file, int line, const char *message)
{
    fprintf(stderr, "cholmod_bench: CHOLMOD %d at %s:%d: %s\n", status, file, line, message);
}

static double now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        fail("no monotonic clock");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Largest resident memory of this process so far. */
static double peak_rss_mb(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        fail("getrusage failed");
    return (double)usage.ru_maxrss / 1024.0;
}

static FILE *open_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        fail("path too long: %s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("cannot open %s", path);
    return file;
}

static void read_exactly(FILE *file, void *data, size_t size, size_t count)
{
    if (fread(data, size, count, file) != count)
        fail("file too short");
}

static void close_at_end(FILE *file)
{
    if (fgetc(file) != EOF)
        fail("file longer than its header says");
    fclose(file);
}

static int read_count(FILE *file, const char *what)
{
    uint64_t value;
    read_exactly(file, &value, sizeof value, 1);
    if (value == 0 || value >= INT_MAX)
        fail("%s out of range: %llu", what, (unsigned long long)value);
    return (int)value;
}

/* Reads count u64 into int, none larger than limit. */
static void read_indices(FILE *file, int *out, size_t count, int limit)
{
    static uint64_t buffer[CHUNK];
    for (size_t done = 0; done < count;) {
        size_t part = count - done < CHUNK ? count - done : CHUNK;
        read_exactly(file, buffer, sizeof buffer[0], part);
        for (size_t i = 0; i < part; i++) {
            if (buffer[i] > (uint64_t)limit)
                fail("index out of range: %llu", (unsigned long long)buffer[i]);
            out[done + i] = (int)buffer[i];
        }
        done += part;
    }
}

static cholmod_sparse *read_matrix(const char *folder, cholmod_common *common)
{
    FILE *file = open_file(folder, "stiffness.bin");
    int n = read_count(file, "number of freedoms");
    int nnz = read_count(file, "number of entries");
    cholmod_sparse *matrix = cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)nnz, 1, 1, -1,
                                                     CHOLMOD_REAL, common);
    if (matrix == NULL)
        fail("no memory for the matrix");
    int *offsets = matrix->p, *rows = matrix->i;
    read_indices(file, offsets, (size_t)n + 1, nnz);
    read_indices(file, rows, (size_t)nnz, n - 1);
    read_exactly(file, matrix->x, sizeof(double), (size_t)nnz);
    close_at_end(file);

    if (offsets[0] != 0 || offsets[n] != nnz)
        fail("column offsets do not span the entries");
    for (int column = 0; column < n; column++) {
        if (offsets[column + 1] <= offsets[column] || rows[offsets[column]] != column)
            fail("column %d does not start with its diagonal", column);
        for (int k = offsets[column] + 1; k < offsets[column + 1]; k++)
            if (rows[k] <= rows[k - 1])
                fail("rows of column %d are not in rising order", column);
    }
    return matrix;
}

static cholmod_dense *read_load(const char *folder, size_t n, cholmod_common *common)
{
    FILE *file = open_file(folder, "load.bin");
    if ((size_t)read_count(file, "length of the load") != n)
        fail("the load and the matrix differ in size");
    cholmod_dense *load = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, common);
    if (load == NULL)
        fail("no memory for the load");
    read_exactly(file, load->x, sizeof(double), n);
    close_at_end(file);
    return load;
}

/* The BLAS is asked through the dynamic linker, since only OpenBLAS answers. */
static const char *blas_name(void)
{
    char *(*config)(void) = (char *(*)(void))dlsym(RTLD_DEFAULT, "openblas_get_config");
    return config != NULL ? config() : "unknown BLAS";
}

static int blas_threads(void)
{
    int (*threads)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    return threads != NULL ? threads() : 1;
}

/* Threads of this process, the sleeping ones included; 0 where /proc is missing. */
static int process_threads(void)
{
    int threads = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Threads: %d", &threads) == 1)
            break;
    fclose(file);
    return threads;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: cholmod_bench FOLDER | --blas");
    if (argv[1][0] == '-') {
        puts(blas_name());
        return 0;
    }

    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    common.error_handler = on_cholmod_error;
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_AMD;

    cholmod_sparse *matrix = read_matrix(argv[1], &common);
    size_t n = matrix->nrow;
    cholmod_dense *load = read_load(argv[1], n, &common);
    double loaded = peak_rss_mb();

    double analyze = INFINITY, factorize = INFINITY, solve = INFINITY;
    cholmod_dense *solution = NULL;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        cholmod_free_dense(&solution, &common);
        double t0 = now();
        cholmod_factor *factor = cholmod_analyze(matrix, &common);
        double t1 = now();
        if (factor == NULL)
            fail("analysis failed");
        int good = cholmod_factorize(matrix, factor, &common);
        double t2 = now();
        if (!good || common.status != CHOLMOD_OK || factor->minor != n)
            fail("factorisation failed at column %zu of %zu", factor->minor, n);
        if (!factor->is_super || !factor->is_ll)
            fail("not a supernodal LL' factor");
        double t3 = now();
        solution = cholmod_solve(CHOLMOD_A, factor, load, &common);
        double t4 = now();
        if (solution == NULL)
            fail("solution failed");
        cholmod_free_factor(&factor, &common);
        analyze = fmin(analyze, t1 - t0);
        factorize = fmin(factorize, t2 - t1);
        solve = fmin(solve, t4 - t3);
    }
    double peak = peak_rss_mb();

    cholmod_dense *rest = cholmod_copy_dense(load, &common);
    double one[2] = {1.0, 0.0}, minus_one[2] = {-1.0, 0.0};
    if (rest == NULL || !cholmod_sdmult(matrix, 0, one, minus_one, solution, rest, &common))
        fail("residual failed");
    double load_norm = cholmod_norm_dense(load, 2, &common);
    if (!(load_norm > 0.0))
        fail("the load is zero");
    double residual = cholmod_norm_dense(rest, 2, &common) / load_norm;
    double largest = cholmod_norm_dense(solution, 0, &common);
    if (!isfinite(residual))
        fail("the residual is not finite");

    printf("{\"n\": %zu, \"threads\": %d, \"process_threads\": %d, ", n, blas_threads(),
           process_threads());
    printf("\"analyze\": %.6f, \"factor\": %.6f, \"solve\": %.6f, \"total\": %.6f, ", analyze,
           factorize, solve, analyze + factorize + solve);
    printf("\"residual\": %.3e, \"peak_rss_mb\": %.1f, \"loaded_rss_mb\": %.1f, ", residual, peak,
           loaded);
    printf("\"factor_entries\": %.0f, \"max_abs_solution\": %.15e, ", common.lnz, largest);
    printf("\"version\": \"CHOLMOD %d.%d.%d\", \"blas\": \"%s\"}\n", CHOLMOD_MAIN_VERSION,
           CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION, blas_name());

    cholmod_free_dense(&rest, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&load, &common);
    cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
    return 0;
}
