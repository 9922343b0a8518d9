/* SPDX-License-Identifier: Apache-2.0 */
/* Single-writer buffers whose writer and readers may end at any step: kernel/object/buffer.c.
 *
 * Modelled: a writer with JOBS jobs and WRITES values in all, and a reader with JOBS jobs and READS reads in all; or
 * (CONFIG_TWO_READERS) two readers of one job each. A job writes or reads until it is ended, which may be at any
 * step, in the middle of a copy too.
 * The copy of a value is two steps: a slot holds two words.
 * Asserted: a value that is read was written whole; no reader reads an older value than its last one, nor than
 * the one that was the latest when its read began; the writer always finds a free slot.
 * Atomic here and there: a compare-and-set is one step, as in the code. The choice of a slot is as many
 * steps as it has looks at claims.
 * Left out: weak ordering; the fences of the code make the two sides see each other as here. */
#ifdef CONFIG_TWO_READERS
#define READERS 2
#define READS 1
#else
#define READERS 1
#define READS 2
#endif
#define SLOTS (READERS + 2)
#define WRITES 3
#define JOBS 2

#define NONE 0
#define WRITER READERS /* after the readers, from 0 on */

byte first[SLOTS], second[SLOTS]; /* the two words of each slot */
byte claim[READERS];              /* slot + 1 */
byte latest;                      /* a slot */
byte published;                   /* the number of the latest value: for the assertions alone */
bool ended[READERS + 1];          /* the job that runs; a new one begins at once */
byte number;                      /* of the value that is written now */

inline choose() {
    slot = 0;
    do
    :: assert(slot < SLOTS);
        taken = false;
#ifndef BUG_LATEST_IS_FREE
        taken = (slot == known);
#endif
        reader = 0;
        do
        :: reader < READERS && !taken ->
#ifndef BUG_CLAIMED_IS_FREE
            taken = (claim[reader] == slot + 1);
#endif
            reader++
        :: else -> break
        od;
        if
        :: taken -> slot++
        :: else -> break
        fi
    od
}

inline claim_for_readers(which) {
    reader = 0;
    do
    :: reader < READERS ->
#ifdef BUG_CLAIM_IN_TWO_STEPS
        if :: claim[reader] == NONE -> claim[reader] = which + 1 :: else fi;
        reader++
#else
        atomic { if :: claim[reader] == NONE -> claim[reader] = which + 1 :: else fi; reader++ }
#endif
    :: else -> break
    od
}

/* Ends jobs of a task, each at any step. */
proctype Ender(byte task) {
    byte jobs = JOBS - 1;
    do
    :: atomic { jobs > 0 && !ended[task] -> jobs--; ended[task] = true }
    :: break
    od
}

proctype Writer() {
    byte slot, reader, known;
    bool taken;
again:
    {
        do
        :: atomic { number < WRITES -> number++; known = latest }
#ifndef BUG_CLAIMS_AFTER_PUBLICATION
            claim_for_readers(known);
#endif
            choose();
            first[slot] = number;
            second[slot] = number;
            atomic { latest = slot; published = number }
#ifdef BUG_CLAIMS_AFTER_PUBLICATION /* a job that ends here leaves it undone */
            claim_for_readers(slot);
#endif
        :: atomic { number == WRITES -> slot = 0; reader = 0; known = 0; taken = false; break }
        od
    } unless {
        atomic { ended[WRITER] -> ended[WRITER] = false; slot = 0; reader = 0; known = 0; taken = false }
        goto again
    }
}

proctype Reader(byte me) {
    byte reads = READS, slot, word, last, oldest;
again:
    {
        do
        :: atomic { reads > 0 -> reads--; oldest = published }
#ifndef BUG_KEEPS_ITS_CLAIM
            claim[me] = NONE;
#endif
            slot = latest;
#ifdef BUG_CLAIMS_REGARDLESS
            claim[me] = slot + 1;
#else
            atomic { if :: claim[me] == NONE -> claim[me] = slot + 1 :: else -> slot = claim[me] - 1 fi }
#endif
            word = first[slot];
            atomic {
                assert(second[slot] == word);
                assert(word >= oldest && word >= last);
                last = word; word = 0; slot = 0; oldest = 0
            }
        :: atomic { reads == 0 -> break }
        od
    } unless {
        atomic { ended[me] -> ended[me] = false; word = 0; slot = 0; oldest = 0 }
        goto again
    }
}

init {
    atomic {
        run Writer(); run Ender(WRITER); run Reader(0);
#ifdef CONFIG_TWO_READERS
        run Reader(1)
#else
        run Ender(0)
#endif
    }
}
