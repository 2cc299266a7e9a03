/* index_parts: what writer and reader of an index agree about. */
#ifndef EB_IO_INVERTED_INDEX_PARTS_H
#define EB_IO_INVERTED_INDEX_PARTS_H

#define EB_INDEX_MAGIC "EPSBIVF\n"
#define EB_INDEX_VERSION 1u

enum {
    EB_INDEX_MAGIC_BYTES = 8,
    EB_INDEX_NUMBERS = 9, /* u64 */
    EB_INDEX_SHA = 64,
    EB_INDEX_SOURCE = 512,
    EB_INDEX_PROGRAM = 64,
    EB_INDEX_BUILT = 32,
    EB_INDEX_HEAD = EB_INDEX_MAGIC_BYTES + 2 * 4 + EB_INDEX_NUMBERS * 8 + 8 + EB_INDEX_SHA + EB_INDEX_SOURCE +
                    EB_INDEX_PROGRAM + EB_INDEX_BUILT,
    EB_INDEX_DIGEST = 32,
};

#endif
