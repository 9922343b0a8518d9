/* SPDX-License-Identifier: Apache-2.0 */
/* What the two sources of the test share. */
#ifndef TESTS_CXX_OTHER_H
#define TESTS_CXX_OTHER_H

/* The numbers of static objects, in the order of their construction. */
extern int order[4], constructed;

/* A static object with a number, which says when it is constructed. */
struct tracer {
    explicit tracer(int number);
    int number;
};

/* A template with an instance in each source: both have the same variable. */
template <class Value> struct shared_value { static inline Value value = 0; };

void other_add();

#endif
