/* The folder of compiled objects: what comes back is what was stored, or nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "jit/cache_folder.h"
#include "jit/object_cache.h"
#include "jit/sha256.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_KEY "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define OBJECT KEY ".so"

enum { N_BYTES = 3000, TRAILER = 164, NOBODY = 65534 };
static const uint64_t plenty = UINT64_C(1) << 30;

static unsigned char content[N_BYTES];
static const sarrus_object_bytes object = {content, N_BYTES};

static sarrus_object_cache cache_open(const char *folder, uint64_t max_bytes) {
    sarrus_object_cache cache;
    sarrus_fallback_reason reason = {""};
    if (!sarrus_object_cache_open(&cache, path_in(folder, "cache"), max_bytes, &reason))
        fail_msg("%s", reason.text);
    return cache;
}

/* A cache that holds the object under KEY. */
static sarrus_object_cache cache_with_object(const char *folder) {
    sarrus_object_cache cache = cache_open(folder, plenty);
    sarrus_fallback_reason reason = {""};
    if (!sarrus_object_cache_store(&cache, KEY, &object, &reason))
        fail_msg("%s", reason.text);
    return cache;
}

static bool holds(const sarrus_object_cache *cache, const char *key) {
    sarrus_object_bytes found;
    if (!sarrus_object_cache_find(cache, key, &found))
        return false;
    assert_int_equal(found.n_bytes, N_BYTES);
    assert_memory_equal(found.bytes, content, N_BYTES);
    free(found.bytes);
    return true;
}

static void is_refused(const char *path, const char *words) {
    sarrus_object_cache cache;
    sarrus_fallback_reason reason = {""};
    assert_false(sarrus_object_cache_open(&cache, path, plenty, &reason));
    assert_int_equal(cache.folder, -1);
    if (strstr(reason.text, words) == NULL)
        fail_msg("'%s' says nothing of '%s'", reason.text, words);
}

/* FIPS 180-4's examples, and a million times 'a' in pieces that do not fit the blocks. */
static void the_hash_is_sha256(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    char text[SARRUS_SHA256_TEXT], piece[77];
    sarrus_sha256 hash;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sarrus_sha256_begin(&hash);
        sarrus_sha256_add(&hash, cases[i][0], strlen(cases[i][0]));
        sarrus_sha256_end(&hash, text);
        assert_string_equal(text, cases[i][1]);
    }
    memset(piece, 'a', sizeof piece);
    sarrus_sha256_begin(&hash);
    for (size_t n_left = 1000000, n; n_left > 0; n_left -= n) {
        n = n_left < sizeof piece ? n_left : sizeof piece;
        sarrus_sha256_add(&hash, piece, n);
    }
    sarrus_sha256_end(&hash, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void a_stored_object_comes_back(void **state) {
    struct stat is;
    sarrus_object_cache cache = cache_with_object(*state);
    const char *folder = path_in(*state, "cache");
    assert_int_equal(stat(folder, &is), 0);
    assert_int_equal(is.st_mode & 07777, 0700);
    assert_int_equal(stat(path_in(*state, "cache/" OBJECT), &is), 0);
    assert_int_equal(is.st_mode & 07777, 0600);
    assert_int_equal(is.st_size, N_BYTES + TRAILER);
    assert_true(holds(&cache, KEY));
    assert_false(holds(&cache, OTHER_KEY));
    assert_int_equal(entries_count(folder, ""), 1);
    sarrus_object_cache_close(&cache);
}

static void folders_above_are_made(void **state) {
    sarrus_object_cache cache;
    sarrus_fallback_reason reason;
    assert_true(sarrus_object_cache_open(&cache, path_in(*state, "a/b/c//"), plenty, &reason));
    sarrus_object_cache_close(&cache);
    assert_int_equal(entries_count(path_in(*state, "a/b"), "c"), 1);
}

static void a_truncated_object_is_removed(void **state) {
    static const off_t lengths[] = {0, 1, TRAILER - 1, TRAILER, TRAILER + 1, N_BYTES, N_BYTES + TRAILER - 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        sarrus_object_cache cache = cache_with_object(*state);
        const char *path = path_in(*state, "cache/" OBJECT);
        assert_int_equal(truncate(path, lengths[i]), 0);
        assert_false(holds(&cache, KEY));
        assert_false(path_exists(path));
        sarrus_object_cache_close(&cache);
    }
}

/* Any byte: of the object, of the key behind it, of its length, of its hash, of the end. */
static void an_altered_object_is_removed(void **state) {
    static const off_t places[] = {
        0, N_BYTES / 2, N_BYTES - 1, N_BYTES, N_BYTES + 20, N_BYTES + 90, N_BYTES + TRAILER - 10, N_BYTES + TRAILER - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        sarrus_object_cache cache = cache_with_object(*state);
        const char *path = path_in(*state, "cache/" OBJECT);
        unsigned char byte = 0;
        const int file = open(path, O_RDWR);
        assert_int_equal(pread(file, &byte, 1, places[i]), 1);
        byte ^= 1;
        assert_int_equal(pwrite(file, &byte, 1, places[i]), 1);
        assert_int_equal(close(file), 0);
        assert_false(holds(&cache, KEY));
        assert_false(path_exists(path));
        sarrus_object_cache_close(&cache);
    }
}

static void an_object_under_another_key_is_removed(void **state) {
    sarrus_object_cache cache = cache_with_object(*state);
    assert_int_equal(rename(path_in(*state, "cache/" OBJECT), path_in(*state, "cache/" OTHER_KEY ".so")), 0);
    assert_false(holds(&cache, OTHER_KEY));
    assert_int_equal(entries_count(path_in(*state, "cache"), ""), 0);
    sarrus_object_cache_close(&cache);
}

static void a_linked_object_is_not_followed(void **state) {
    sarrus_object_cache cache = cache_with_object(*state);
    const char *target = path_in(*state, "elsewhere"), *path = path_in(*state, "cache/" OBJECT);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_false(holds(&cache, KEY));
    assert_false(path_exists(path));
    assert_true(path_exists(target));
    sarrus_object_cache_close(&cache);
}

static void an_object_that_others_may_write_to_is_removed(void **state) {
    sarrus_object_cache cache = cache_with_object(*state);
    assert_int_equal(chmod(path_in(*state, "cache/" OBJECT), 0660), 0);
    assert_false(holds(&cache, KEY));
    assert_int_equal(entries_count(path_in(*state, "cache"), ""), 0);
    sarrus_object_cache_close(&cache);
}

/* Opening a pipe to read would wait for a writer for ever. */
static void what_is_no_file_is_not_read(void **state) {
    sarrus_object_cache cache = cache_open(*state, plenty);
    assert_int_equal(mkfifo(path_in(*state, "cache/" OBJECT), 0600), 0);
    assert_false(holds(&cache, KEY));
    assert_int_equal(mkdir(path_in(*state, "cache/" OTHER_KEY ".so"), 0700), 0);
    assert_false(holds(&cache, OTHER_KEY));
    sarrus_object_cache_close(&cache);
}

static void a_linked_folder_is_refused(void **state) {
    const char *link = path_in(*state, "link");
    assert_int_equal(mkdir(path_in(*state, "real"), 0700), 0);
    assert_int_equal(symlink(path_in(*state, "real"), link), 0);
    is_refused(link, "a symbolic link");
    is_refused(path_in(*state, "link/"), "a symbolic link");
}

static void a_folder_that_others_may_write_to_is_refused(void **state) {
    const char *folder = path_in(*state, "open");
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chmod(folder, 0702), 0);
    is_refused(folder, "others may write to it");
    assert_int_equal(chmod(folder, 01720), 0);
    is_refused(folder, "others may write to it");
}

static void what_is_no_folder_is_refused(void **state) {
    text_write(path_in(*state, "file"), "", 0600);
    is_refused(path_in(*state, "file"), "Not a directory");
    is_refused(path_in(*state, "file/below"), "Not a directory");
    is_refused(NULL, "no cache folder was given");
    is_refused("", "no cache folder was given");
}

static void a_folder_of_another_user_is_refused(void **state) {
    const char *folder = path_in(*state, "theirs");
    if (geteuid() != 0)
        skip(); /* only root can give a folder away */
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
    is_refused(folder, "it belongs to another user");
}

/* It is left where it is, until an object of ours takes its place. */
static void an_object_of_another_user_is_not_used(void **state) {
    sarrus_fallback_reason reason;
    if (geteuid() != 0)
        skip(); /* only root can give a file away */
    sarrus_object_cache cache = cache_with_object(*state);
    const char *path = path_in(*state, "cache/" OBJECT);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_false(holds(&cache, KEY));
    assert_true(path_exists(path));
    assert_true(sarrus_object_cache_store(&cache, KEY, &object, &reason));
    assert_true(holds(&cache, KEY));
    sarrus_object_cache_close(&cache);
}

/* Root may write everywhere, and becomes nobody for this. */
static void a_read_only_folder_gives_but_does_not_take(void **state) {
    const uid_t me = geteuid();
    char name[SARRUS_CACHE_NAME];
    sarrus_fallback_reason reason = {""};
    assert_int_equal(chmod(*state, 0777), 0);
    if (me == 0)
        assert_int_equal(seteuid(NOBODY), 0);
    sarrus_object_cache cache = cache_with_object(*state);
    assert_int_equal(chmod(path_in(*state, "cache"), 0500), 0);
    const bool is_held = holds(&cache, KEY);
    const bool is_stored = sarrus_object_cache_store(&cache, OTHER_KEY, &object, &reason);
    const int folder = sarrus_object_cache_folder_make(&cache, name, &reason);
    if (me == 0)
        assert_int_equal(seteuid(me), 0);
    assert_true(is_held);
    assert_false(is_stored);
    assert_int_equal(folder, -1);
    assert_non_null(strstr(reason.text, "Permission denied"));
    sarrus_object_cache_close(&cache);
    assert_int_equal(chmod(path_in(*state, "cache"), 0700), 0);
}

/* A limit on the length of files stops a write in its middle, as a full disk does. */
static void a_full_disk_leaves_nothing_behind(void **state) {
    struct rlimit before, small;
    sarrus_fallback_reason reason = {""};
    sarrus_object_cache cache = cache_open(*state, plenty);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    (void)signal(SIGXFSZ, SIG_IGN);
    for (rlim_t n = 1; n < N_BYTES + TRAILER; n += 500) {
        small.rlim_cur = n;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const bool is_stored = sarrus_object_cache_store(&cache, KEY, &object, &reason);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(is_stored);
        assert_non_null(strstr(reason.text, strerror(EFBIG)));
        assert_int_equal(entries_count(path_in(*state, "cache"), ""), 0);
    }
    sarrus_object_cache_close(&cache);
}

enum { N_WRITES = 100 };

/* In a process of its own: exit code 0 when every object that was found was whole. */
static int write_and_find(const char *folder) {
    sarrus_object_cache cache;
    sarrus_fallback_reason reason;
    if (!sarrus_object_cache_open(&cache, folder, plenty, &reason))
        return 2;
    for (int i = 0; i < N_WRITES; ++i) {
        sarrus_object_bytes found;
        if (!sarrus_object_cache_store(&cache, KEY, &object, &reason) || !sarrus_object_cache_find(&cache, KEY, &found))
            return 3;
        const bool is_whole = found.n_bytes == N_BYTES && memcmp(found.bytes, content, N_BYTES) == 0;
        free(found.bytes);
        if (!is_whole)
            return 4;
    }
    sarrus_object_cache_close(&cache);
    return 0;
}

static void two_writers_both_succeed(void **state) {
    pid_t writers[2];
    const char *folder = path_in(*state, "cache");
    for (int i = 0; i < 2; ++i) {
        writers[i] = fork();
        if (writers[i] == 0)
            _exit(write_and_find(folder));
        assert_true(writers[i] > 0);
    }
    for (int i = 0; i < 2; ++i) {
        int status = -1;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(entries_count(folder, ""), 1);
}

static void age_set(const char *path, time_t age) {
    const struct timespec then = {time(NULL) - age, 0}, both[2] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, path, both, AT_SYMLINK_NOFOLLOW), 0);
}

/* Four objects where three fit: the one that was used longest ago goes, not the one that was stored first. */
static void the_least_recently_used_objects_go(void **state) {
    sarrus_object_cache cache = cache_open(*state, 3 * (N_BYTES + TRAILER));
    sarrus_fallback_reason reason;
    char key[4][65], path[PATH_MAX];
    for (int i = 0; i < 4; ++i) {
        snprintf(key[i], sizeof key[i], "%.63s%d", KEY, i);
        if (i == 3)
            assert_true(holds(&cache, key[0])); /* used just now */
        assert_true(sarrus_object_cache_store(&cache, key[i], &object, &reason));
        snprintf(path, sizeof path, "%s/cache/%s.so", (const char *)*state, key[i]);
        if (i < 3)
            age_set(path, 1000 - 100 * i);
    }
    assert_true(holds(&cache, key[0]));
    assert_false(holds(&cache, key[1]));
    assert_true(holds(&cache, key[2]));
    assert_true(holds(&cache, key[3]));
    cache.max_bytes = 10; /* not even one; that which was just made is of use all the same */
    assert_true(sarrus_object_cache_store(&cache, key[1], &object, &reason));
    assert_true(holds(&cache, key[1]));
    assert_int_equal(entries_count(path_in(*state, "cache"), ""), 1);
    sarrus_object_cache_close(&cache);
}

static void what_killed_processes_left_goes(void **state) {
    char name[SARRUS_CACHE_NAME], tree[PATH_MAX];
    sarrus_fallback_reason reason;
    sarrus_object_cache cache = cache_open(*state, plenty);
    for (int i = 0; i < 2; ++i) {
        const int folder = sarrus_object_cache_folder_make(&cache, name, &reason);
        assert_true(folder >= 0);
        assert_int_equal(mkdirat(folder, "a", 0700), 0);
        assert_true(sarrus_file_write(folder, "a/b", "c", 1));
        assert_false(sarrus_file_write(folder, "a/b", "d", 1)); /* an existing file is not written to */
        assert_int_equal(symlinkat(*state, folder, "a/link"), 0);
        assert_int_equal(close(folder), 0);
    }
    snprintf(tree, sizeof tree, "%s/cache/%s", (const char *)*state, name);
    age_set(tree, 7200);
    text_write(path_in(*state, "cache/new-0123456789abcdef"), "", 0600);
    age_set(path_in(*state, "cache/new-0123456789abcdef"), 7200);
    text_write(path_in(*state, "cache/README"), "", 0600);
    age_set(path_in(*state, "cache/README"), 7200);
    assert_true(sarrus_object_cache_store(&cache, KEY, &object, &reason));
    assert_false(path_exists(tree));
    assert_false(path_exists(path_in(*state, "cache/new-0123456789abcdef")));
    assert_true(path_exists(path_in(*state, "cache/README")));
    assert_true(path_exists(*state)); /* to which a link led */
    assert_int_equal(entries_count(path_in(*state, "cache"), "build-"), 1);
    sarrus_object_cache_close(&cache);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, folder_make, folder_remove)

int main(void) {
    for (int i = 0; i < N_BYTES; ++i)
        content[i] = (unsigned char)(i * 7 + i / 256);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_sha256),
        CASE(a_stored_object_comes_back),
        CASE(folders_above_are_made),
        CASE(a_truncated_object_is_removed),
        CASE(an_altered_object_is_removed),
        CASE(an_object_under_another_key_is_removed),
        CASE(a_linked_object_is_not_followed),
        CASE(an_object_that_others_may_write_to_is_removed),
        CASE(what_is_no_file_is_not_read),
        CASE(a_linked_folder_is_refused),
        CASE(a_folder_that_others_may_write_to_is_refused),
        CASE(what_is_no_folder_is_refused),
        CASE(a_folder_of_another_user_is_refused),
        CASE(an_object_of_another_user_is_not_used),
        CASE(a_read_only_folder_gives_but_does_not_take),
        CASE(a_full_disk_leaves_nothing_behind),
        CASE(two_writers_both_succeed),
        CASE(the_least_recently_used_objects_go),
        CASE(what_killed_processes_left_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
