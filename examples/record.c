/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three versions of a function that reads a record from a packet, for `assay verify`: 10 copies as many bytes as the packet
 * says, 11 repairs that, 12 repairs it and does something else besides. */
#include <stdio.h>
#include <string.h>

struct record {
    int kind, length;
    unsigned char *data;
};

int records;

int read_record(struct record *record, const unsigned char *packet, int size)
{
    if (size < 4)
        return -1;
    int length = packet[2] << 8 | packet[3];
#if VERSION >= 11
    if (length > size - 4) {
        puts("record longer than its packet");
        return -1;
    }
#endif
    record->kind = packet[0];
    record->length = length;
#if VERSION >= 12
    if (packet[1] == 0x7f)
        record->kind = 0;
#endif
    memcpy(record->data, packet + 4, length);
    records++;
    return 0;
}

int main(void)
{
    static unsigned char packet[64], data[64];
    struct record record = {.data = data};
    int size = (int)fread(packet, 1, sizeof packet, stdin);
    int result = read_record(&record, packet, size);
    printf("%d: kind %d, %d bytes\n", result, record.kind, record.length);
    return result != 0;
}
