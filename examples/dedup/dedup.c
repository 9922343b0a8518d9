/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses a file by storing equal parts of it once, as the benchmark of that name in the PARSEC
 * suite does: a pipeline of five stages with queues between them. The first stage reads fragments
 * of the file, the second splits each into chunks where a rolling hash of the last bytes says so,
 * the third looks for the digest of each chunk in a hash table, the fourth compresses the chunks
 * that are new, by zlib, and the last writes all in the order of the file. Plain POSIX: for Linux,
 * cc -O2 -pthread dedup.c -lz
 *
 *     dedup THREADS KIBIBYTES INPUT OUTPUT
 *
 * THREADS: of each of the three stages in the middle; the first and the last have one. INPUT is
 * made first: KIBIBYTES of text, parts of which come again. OUTPUT has a record for each chunk: the
 * byte 'C', the length in four bytes, the lowest first, and the chunk as a zlib stream; or the byte
 * 'R' and the SHA-1 of an earlier chunk. It is the same for any number of threads. */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum {
    WINDOW = 32,           /* bytes that decide whether a chunk ends behind them */
    SHORTEST = 512,        /* bytes of a chunk, unless the fragment ends */
    LONGEST = 8192,        /* bytes of a chunk */
    ANCHOR = 24 * 1024,    /* bytes of a fragment after which it ends where a chunk does */
    FRAGMENT = 64 * 1024,  /* bytes of a fragment at most */
    CHUNK_MASK = 2047,     /* a chunk ends at about one in 2,048 bytes */
    BUCKETS = 4096,        /* of the hash table, each with its own lock */
    DIGEST = 20,           /* bytes of a digest */
    ROOM = 64,             /* items of a queue */
    GROUP = 4,             /* threads of a stage that share a queue */
    WINDOW_BITS = 13,      /* zlib's window of 8 KiB holds a chunk */
    MEMORY_LEVEL = 5,      /* zlib's tables have some 40 KiB then */
    COMPRESSION_LEVEL = 6, /* zlib's default */
};

/* The contents of all chunks with one digest. */
struct content {
    uint8_t digest[DIGEST];
    struct content *next; /* in the bucket; guarded by its lock */
    pthread_mutex_t mutex;
    pthread_cond_t compressed;
    uint8_t *data; /* NULL until it is compressed; guarded by the mutex */
    uint32_t length;
    bool written; /* used by the last stage only */
};

struct fragment;

struct chunk {
    struct fragment *fragment;
    const uint8_t *data;
    uint32_t length;
    bool arrived; /* at the last stage, which alone uses this */
    struct content *content;
};

struct fragment {
    uint32_t number;
    uint32_t length;
    uint32_t chunk_count;
    struct chunk *chunks;
    uint8_t data[];
};

/* A bounded queue of pointers; all fields are guarded by the mutex. */
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    void *items[ROOM];
    uint32_t first, count;
    uint32_t producers; /* that have not ended */
};

/* The queues into one stage: producers take them in turn. */
struct stage {
    struct queue *queues;
    uint32_t queue_count;
};

struct bucket {
    pthread_mutex_t mutex;
    struct content *first; /* guarded by the mutex */
};

static uint32_t thread_count, group_count;
static struct stage refine, deduplicate, compressing, reorder;
static struct bucket buckets[BUCKETS];
static int input, output;
static uint32_t chunks_written, contents_written, bytes_written;

static _Noreturn void fail(const char *what) {
    printf("dedup: %s\n", what);
    exit(1);
}

static void *reserve(size_t size) {
    void *memory = malloc(size);
    if (!memory) {
        fail("there is no memory");
    }
    return memory;
}

static int open_file(const char *path, int flags) {
    int file = open(path, flags, 0644);
    if (file < 0) {
        fail("cannot open the files");
    }
    return file;
}

/* Reads as much as there is, up to `room` bytes. */
static uint32_t read_all(uint8_t *data, uint32_t room) {
    uint32_t length = 0;
    ssize_t part;
    while (length < room && (part = read(input, data + length, room - length)) != 0) {
        if (part < 0) {
            fail("cannot read the input");
        }
        length += (uint32_t)part;
    }
    return length;
}

static void write_all(int file, const uint8_t *data, uint32_t length) {
    while (length > 0) {
        ssize_t part = write(file, data, length);
        if (part <= 0) {
            fail("cannot write a file");
        }
        data += part;
        length -= (uint32_t)part;
    }
}

/* --- Queues ------------------------------------------------------------------------------------
 */

static void stage_init(struct stage *stage, uint32_t queue_count, uint32_t producers) {
    stage->queue_count = queue_count;
    stage->queues = reserve(queue_count * sizeof stage->queues[0]);
    for (uint32_t index = 0; index < queue_count; index++) {
        struct queue *queue = &stage->queues[index];
        memset(queue, 0, sizeof *queue);
        pthread_mutex_init(&queue->mutex, NULL);
        pthread_cond_init(&queue->not_empty, NULL);
        pthread_cond_init(&queue->not_full, NULL);
        queue->producers = producers;
    }
}

/* Puts an item into the next of the stage's queues; waits while that is full. */
static void put(struct stage *stage, uint32_t *turn, void *item) {
    struct queue *queue = &stage->queues[(*turn)++ % stage->queue_count];
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == ROOM) {
        pthread_cond_wait(&queue->not_full, &queue->mutex);
    }
    queue->items[(queue->first + queue->count++) % ROOM] = item;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->mutex);
}

/* Returns the next item; NULL if there is none and no producer is left. */
static void *take(struct queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == 0 && queue->producers > 0) {
        pthread_cond_wait(&queue->not_empty, &queue->mutex);
    }
    void *item = NULL;
    if (queue->count > 0) {
        item = queue->items[queue->first];
        queue->first = (queue->first + 1) % ROOM;
        queue->count--;
        pthread_cond_signal(&queue->not_full);
    }
    pthread_mutex_unlock(&queue->mutex);
    return item;
}

/* A producer of the stage has put its last item. */
static void finish(struct stage *stage) {
    for (uint32_t index = 0; index < stage->queue_count; index++) {
        struct queue *queue = &stage->queues[index];
        pthread_mutex_lock(&queue->mutex);
        queue->producers--;
        pthread_cond_broadcast(&queue->not_empty);
        pthread_mutex_unlock(&queue->mutex);
    }
}

/* --- Where chunks end ---------------------------------------------------------------------------
 */

/* The hash after R. Karp and M. Rabin (1987) of the window's bytes: a polynomial modulo 2^32. */
enum { BASE = 0x08104225 };

static uint32_t leaving; /* BASE to the power of WINDOW, by which a byte counts as it leaves */

static void hash_init(void) {
    leaving = 1;
    for (int power = 0; power < WINDOW; power++) {
        leaving *= BASE;
    }
}

/* Returns the length of the part that ends where the hash says so, at least `least` bytes; `most`
 * if there is no such place. `least` is not below WINDOW. */
static uint32_t part_length(const uint8_t *data, uint32_t least, uint32_t most) {
    if (most <= least) {
        return most;
    }
    uint32_t hash = 0;
    for (uint32_t at = least - WINDOW; at < least; at++) {
        hash = hash * BASE + data[at] + 1;
    }
    for (uint32_t at = least; at < most; at++) {
        if ((hash >> 12 & CHUNK_MASK) == CHUNK_MASK) {
            return at;
        }
        hash = hash * BASE + data[at] + 1 - leaving * (data[at - WINDOW] + 1u);
    }
    return most;
}

/* --- Digests: SHA-1, after FIPS 180-4 -----------------------------------------------------------
 */

static uint32_t rotate(uint32_t word, int by) {
    return word << by | word >> (32 - by);
}

static void digest_block(uint32_t state[5], const uint8_t *block) {
    uint32_t w[80];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    }
    for (int t = 16; t < 80; t++) {
        w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < 80; t++) {
        uint32_t f = t < 20   ? ((b & c) | (~b & d)) + 0x5a827999u
                     : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                     : t < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu
                              : (b ^ c ^ d) + 0xca62c1d6u;
        uint32_t next = rotate(a, 5) + f + e + w[t];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

static void digest_of(const uint8_t *data, uint32_t length, uint8_t digest[DIGEST]) {
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint32_t rest = length % 64, last = rest < 56 ? 64 : 128;
    for (uint32_t at = 0; at < length - rest; at += 64) {
        digest_block(state, data + at);
    }
    uint8_t end[128] = {0};
    memcpy(end, data + length - rest, rest);
    end[rest] = 0x80;
    for (uint32_t byte = 0; byte < 8; byte++) {
        end[last - 1 - byte] = (uint8_t)((uint64_t)length * 8 >> (8 * byte));
    }
    for (uint32_t at = 0; at < last; at += 64) {
        digest_block(state, end + at);
    }
    for (int byte = 0; byte < DIGEST; byte++) {
        digest[byte] = (uint8_t)(state[byte / 4] >> (24 - byte % 4 * 8));
    }
}

/* --- Stages -------------------------------------------------------------------------------------
 */

/* Reads the file; a fragment ends where a chunk would, so that what follows is the next one's. */
static void *read_fragments(void *unused) {
    (void)unused;
    static uint8_t buffer[FRAGMENT];
    uint32_t held = 0, turn = 0, number = 0;
    for (;;) {
        held += read_all(buffer + held, sizeof buffer - held);
        if (held == 0) {
            break;
        }
        uint32_t length = part_length(buffer, ANCHOR, held);
        struct fragment *fragment = reserve(sizeof *fragment + length);
        fragment->number = number++;
        fragment->length = length;
        memcpy(fragment->data, buffer, length);
        held -= length;
        memmove(buffer, buffer + length, held);
        put(&refine, &turn, fragment);
    }
    finish(&refine);
    return NULL;
}

static void *split_fragments(void *group) {
    struct fragment *fragment;
    uint32_t turn = (uint32_t)(uintptr_t)group;
    while ((fragment = take(&refine.queues[(uintptr_t)group]))) {
        fragment->chunks = reserve((fragment->length / SHORTEST + 1) * sizeof fragment->chunks[0]);
        fragment->chunk_count = 0;
        for (uint32_t at = 0; at < fragment->length;) {
            uint32_t left = fragment->length - at;
            uint32_t length =
                part_length(fragment->data + at, SHORTEST, left < LONGEST ? left : LONGEST);
            fragment->chunks[fragment->chunk_count++] =
                (struct chunk){.fragment = fragment, .data = fragment->data + at, .length = length};
            at += length;
        }
        for (uint32_t index = 0, count = fragment->chunk_count; index < count; index++) {
            put(&deduplicate, &turn, &fragment->chunks[index]);
        }
    }
    finish(&deduplicate);
    return NULL;
}

/* Finds the content with the chunk's digest, or adds it; returns whether it is new. */
static bool find_content(struct chunk *chunk) {
    uint8_t digest[DIGEST];
    digest_of(chunk->data, chunk->length, digest);
    struct bucket *bucket = &buckets[(digest[0] << 8 | digest[1]) % BUCKETS];
    pthread_mutex_lock(&bucket->mutex);
    struct content *found = bucket->first;
    while (found && memcmp(found->digest, digest, DIGEST) != 0) {
        found = found->next;
    }
    bool is_new = !found;
    if (is_new) {
        found = reserve(sizeof *found);
        memcpy(found->digest, digest, DIGEST);
        found->next = bucket->first;
        pthread_mutex_init(&found->mutex, NULL);
        pthread_cond_init(&found->compressed, NULL);
        found->data = NULL;
        found->written = false;
        bucket->first = found;
    }
    pthread_mutex_unlock(&bucket->mutex);
    chunk->content = found;
    return is_new;
}

static void *find_duplicates(void *group) {
    struct chunk *chunk;
    uint32_t turn = (uint32_t)(uintptr_t)group, reorder_turn = 0;
    while ((chunk = take(&deduplicate.queues[(uintptr_t)group]))) {
        if (find_content(chunk)) {
            put(&compressing, &turn, chunk);
        } else {
            put(&reorder, &reorder_turn, chunk);
        }
    }
    finish(&compressing);
    finish(&reorder);
    return NULL;
}

/* Compresses a chunk into new memory; returns the length. */
static uint32_t compress_chunk(const struct chunk *chunk, uint8_t **data) {
    z_stream stream = {0};
    if (deflateInit2(&stream, COMPRESSION_LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        fail("zlib has no memory");
    }
    uint32_t room = (uint32_t)deflateBound(&stream, chunk->length);
    *data = reserve(room);
    stream.next_in = (uint8_t *)chunk->data;
    stream.avail_in = chunk->length;
    stream.next_out = *data;
    stream.avail_out = room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        fail("zlib does not end");
    }
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static void *compress_chunks(void *group) {
    struct chunk *chunk;
    uint32_t turn = 0;
    while ((chunk = take(&compressing.queues[(uintptr_t)group]))) {
        struct content *content = chunk->content;
        uint8_t *data;
        uint32_t length = compress_chunk(chunk, &data);
        pthread_mutex_lock(&content->mutex);
        content->data = data;
        content->length = length;
        pthread_cond_broadcast(&content->compressed);
        pthread_mutex_unlock(&content->mutex);
        put(&reorder, &turn, chunk);
    }
    finish(&reorder);
    return NULL;
}

/* Writes a chunk: its content if that was not written yet. An equal chunk further on may have been
 * the one that is being compressed. */
static void write_chunk(const struct chunk *chunk) {
    struct content *content = chunk->content;
    if (content->written) {
        uint8_t record[1 + DIGEST] = {'R'};
        memcpy(record + 1, content->digest, DIGEST);
        write_all(output, record, sizeof record);
        bytes_written += sizeof record;
    } else {
        pthread_mutex_lock(&content->mutex);
        while (!content->data) {
            pthread_cond_wait(&content->compressed, &content->mutex);
        }
        pthread_mutex_unlock(&content->mutex);
        uint32_t length = content->length;
        uint8_t head[5] = {'C', (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                           (uint8_t)(length >> 24)};
        write_all(output, head, sizeof head);
        write_all(output, content->data, length);
        bytes_written += sizeof head + length;
        content->written = true;
        contents_written++;
        free(content->data);
    }
    chunks_written++;
}

/* Writes the chunks in the order of the file, as far as those before have arrived. */
static void *write_in_order(void *fragments_argument) {
    struct fragment **fragments = fragments_argument; /* by number; NULL: none of it has arrived */
    uint32_t next_fragment = 0, next_chunk = 0;
    struct chunk *chunk;
    while ((chunk = take(&reorder.queues[0]))) {
        chunk->arrived = true;
        fragments[chunk->fragment->number] = chunk->fragment;
        struct fragment *fragment;
        while ((fragment = fragments[next_fragment]) && fragment->chunks[next_chunk].arrived) {
            write_chunk(&fragment->chunks[next_chunk]);
            if (++next_chunk == fragment->chunk_count) {
                free(fragment->chunks);
                free(fragment);
                next_chunk = 0;
                next_fragment++;
            }
        }
    }
    return NULL;
}

/* --- The input ----------------------------------------------------------------------------------
 */

/* Numbers that are random enough, and the same everywhere. */
static uint64_t state = 1;

static uint32_t random_below(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

/* Writes texts of 16 KiB, of some thousand words; every other one came before. */
static void make_input(const char *path, uint32_t kibibytes) {
    enum { TEXT = 16384, KEPT = 16 };
    int file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
    uint8_t *texts = reserve(KEPT * TEXT);
    uint32_t made = 0;
    for (uint64_t left = (uint64_t)kibibytes * 1024; left > 0;) {
        uint32_t which = made < KEPT ? made : random_below(KEPT);
        uint8_t *text = texts + which * TEXT;
        if (made < KEPT || random_below(2) == 0) {
            for (uint32_t at = 0; at < TEXT;) {
                uint32_t word = random_below(4000) + 200;
                for (; word > 0 && at < TEXT; word /= 13) {
                    text[at++] = "etaoinshrdlcu"[word % 13];
                }
                if (at < TEXT) {
                    text[at++] = ' ';
                }
            }
        }
        made++;
        uint32_t length = left < TEXT ? (uint32_t)left : TEXT;
        write_all(file, text, length);
        left -= length;
    }
    free(texts);
    close(file);
}

/* --- The pipeline -------------------------------------------------------------------------------
 */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static pthread_t begin_thread(void *(*entry)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, entry, argument) != 0) {
        fail("cannot create so many threads");
    }
    return thread;
}

static void run_pipeline(struct fragment **fragments) {
    stage_init(&refine, group_count, 1);
    stage_init(&deduplicate, group_count, thread_count);
    stage_init(&compressing, group_count, thread_count);
    stage_init(&reorder, 1, 2 * thread_count);
    for (int index = 0; index < BUCKETS; index++) {
        pthread_mutex_init(&buckets[index].mutex, NULL);
    }
    static void *(*const entries[])(void *) = {split_fragments, find_duplicates, compress_chunks};
    uint32_t middle = 3 * thread_count;
    pthread_t *threads = reserve(middle * sizeof *threads);
    pthread_t first = begin_thread(read_fragments, NULL);
    for (uint32_t index = 0; index < middle; index++) {
        uint32_t group = index % thread_count / GROUP;
        threads[index] = begin_thread(entries[index / thread_count], (void *)(uintptr_t)group);
    }
    write_in_order(fragments);
    pthread_join(first, NULL);
    for (uint32_t index = 0; index < middle; index++) {
        pthread_join(threads[index], NULL);
    }
    free(threads);
}

int main(int count, char **arguments) {
    int threads = count == 5 ? atoi(arguments[1]) : 0;
    int kibibytes = count == 5 ? atoi(arguments[2]) : 0;
    if (threads < 1 || kibibytes < 1) {
        printf("dedup THREADS KIBIBYTES INPUT OUTPUT\n");
        return 2;
    }
    thread_count = (uint32_t)threads;
    group_count = (thread_count + GROUP - 1) / GROUP;
    hash_init();
    make_input(arguments[3], (uint32_t)kibibytes);

    int64_t begin = now();
    input = open_file(arguments[3], O_RDONLY);
    output = open_file(arguments[4], O_WRONLY | O_CREAT | O_TRUNC);
    /* One behind the last: the pointer there stays NULL. */
    size_t most = (size_t)kibibytes * 1024 / ANCHOR + 2;
    struct fragment **fragments = reserve(most * sizeof *fragments);
    memset(fragments, 0, most * sizeof *fragments);
    run_pipeline(fragments);
    close(output);
    close(input);
    printf("%d KiB, %u chunks, %u of them different, %u bytes, %u threads: %lld ns\n", kibibytes,
           (unsigned)chunks_written, (unsigned)contents_written, (unsigned)bytes_written,
           (unsigned)thread_count, (long long)(now() - begin));
    free(fragments);
    return 0;
}
