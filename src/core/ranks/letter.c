#include "core/ranks/letter.h"

#include <stdlib.h>
#include <string.h>

unsigned char *eb_letter_bytes(size_t size)
{
    eb_letter_head *head = size <= EB_LETTER_BYTES ? malloc(sizeof *head + size) : NULL;
    return head ? (unsigned char *)(head + 1) : NULL;
}

void eb_letter_free(eb_letter *message)
{
    if (message->bytes)
        free(message->bytes - sizeof(eb_letter_head));
    message->bytes = NULL;
    message->size = 0;
}

/* ---- writing ---- */

static bool make_room(eb_packet *packet, size_t size)
{
    if (packet->failed || size > EB_LETTER_BYTES - packet->size)
        return false;
    if (packet->size + size <= packet->room)
        return true;
    size_t room = packet->room ? 2 * packet->room : 256;
    room = room < packet->size + size ? packet->size + size : room;
    unsigned char *bytes = eb_letter_bytes(room < EB_LETTER_BYTES ? room : EB_LETTER_BYTES);
    if (!bytes)
        return false;
    if (packet->bytes) {
        memcpy(bytes, packet->bytes, packet->size);
        eb_letter_free(&(eb_letter){.bytes = packet->bytes});
    }
    packet->bytes = bytes;
    packet->room = room;
    return true;
}

void eb_pack(eb_packet *packet, const void *bytes, size_t size)
{
    if (!make_room(packet, size)) {
        packet->failed = true;
        return;
    }
    if (size)
        memcpy(packet->bytes + packet->size, bytes, size);
    packet->size += size;
}

void eb_pack_text(eb_packet *packet, const char *text)
{
    const size_t length = strlen(text);
    eb_pack_u64(packet, length);
    eb_pack(packet, text, length);
}

void eb_pack_bins(eb_packet *packet, const eb_bins *bins)
{
    eb_pack_u64(packet, bins->low);
    eb_pack_u64(packet, bins->high);
    eb_pack(packet, bins->zeros, bins->queries * sizeof *bins->zeros);
    if (bins->count)
        eb_pack(packet, bins->count, bins->queries * eb_bins_width(bins) * sizeof *bins->count);
}

eb_code eb_packet_send(const eb_transport *transport, unsigned to, uint32_t kind, uint64_t number, eb_packet *packet,
                       eb_status *status)
{
    eb_letter message = {.kind = kind,
                         .unhurried = !eb_letter_hurries(kind),
                         .number = number,
                         .size = packet->size,
                         .bytes = packet->bytes};
    const bool failed = packet->failed;
    *packet = (eb_packet){.failed = false};
    if (failed) {
        eb_letter_free(&message);
        return eb_fail_memory(status, "a message", message.size);
    }
    return transport->send(transport->state, to, &message, status);
}

eb_code eb_packet_send_all(const eb_transport *transport, uint32_t kind, uint64_t number, eb_packet *packet,
                           eb_status *status)
{
    eb_code failed = EB_OK;
    for (unsigned r = 0; r < transport->ranks; r++) {
        eb_packet copy = {.failed = packet->failed};
        if (r == transport->rank)
            continue;
        eb_pack(&copy, packet->bytes, packet->size);
        const eb_code sent = eb_packet_send(transport, r, kind, number, &copy, status);
        failed = failed ? failed : sent;
    }
    eb_letter_free(&(eb_letter){.bytes = packet->bytes});
    *packet = (eb_packet){.failed = false};
    return failed;
}

/* ---- reading ---- */

const unsigned char *eb_unpack_bytes(eb_packet *packet, size_t size)
{
    if (packet->failed || size > packet->size - packet->at) {
        packet->failed = true;
        return NULL;
    }
    const unsigned char *bytes = packet->bytes + packet->at;
    packet->at += size;
    return bytes;
}

void eb_unpack(eb_packet *packet, void *bytes, size_t size)
{
    const unsigned char *from = eb_unpack_bytes(packet, size);
    if (from && size)
        memcpy(bytes, from, size);
}

void eb_unpack_text(eb_packet *packet, char *text, size_t size)
{
    const size_t length = (size_t)eb_unpack_u64(packet);
    const unsigned char *from = eb_unpack_bytes(packet, length);
    const size_t kept = from && length < size ? length : from ? size - 1 : 0;
    if (kept)
        memcpy(text, from, kept);
    text[kept] = '\0';
}

eb_code eb_unpack_bins(eb_packet *packet, unsigned from, size_t queries, eb_bins *out, eb_status *status)
{
    const uint32_t low = (uint32_t)eb_unpack_u64(packet), high = (uint32_t)eb_unpack_u64(packet);
    if (packet->failed || high >= EB_BINS || low > EB_BINS)
        return eb_fail(status, EB_INTERNAL, "rank %u gives bins %u to %u", from, low, high);
    EB_TRY(eb_bins_make(queries, low, high, out, status));
    eb_unpack(packet, out->zeros, queries * sizeof *out->zeros);
    if (out->count)
        eb_unpack(packet, out->count, queries * eb_bins_width(out) * sizeof *out->count);
    return EB_OK;
}
