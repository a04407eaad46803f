// SPDX-License-Identifier: Apache-2.0
//
// The two sides of the tutorial's rdma_write_read, as small as they can be.
//
//   write_read_peer server write|read
//   write_read_peer client write|read HOST PORT

#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIME_LIMIT_SECONDS = 300 };
enum { MSG_MR = 0, MSG_DONE = 1 };

// The tutorial sends a whole struct ibv_mr; only these three of its fields mean anything to the other side.
struct message {
    int32_t type;
    uint32_t padding;
    uint64_t context;
    uint64_t pd;
    uint64_t address;
    uint64_t length;
    uint32_t handle;
    uint32_t lkey;
    uint32_t rkey;
    uint32_t more_padding;
};

// Refuses to compile if the compiler lays the message out in another way.
typedef char message_has_56_bytes[sizeof(struct message) == 56 ? 1 : -1];
typedef char address_is_at_24[offsetof(struct message, address) == 24 ? 1 : -1];
typedef char rkey_is_at_48[offsetof(struct message, rkey) == 48 ? 1 : -1];

struct connection {
    struct peer peer;
    int reading;
    struct ibv_mr *outgoing;
    struct ibv_mr *incoming;
    struct ibv_mr *local_mr;
    struct ibv_mr *remote_mr;
    struct message sent;
    struct message received;
    struct message theirs;
    char local[BUFFER_SIZE];
    char remote[BUFFER_SIZE];
    int mr_posted;
    int rdma_posted;
    int sends_done;  // of MSG_MR, the transfer and MSG_DONE, in this order
    int mr_received;
    int done_received;
};

static void open_buffers(struct connection *c, const char *side) {
    int remote_access = c->reading ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    c->outgoing = register_memory(&c->peer, &c->sent, sizeof c->sent, 0);
    c->incoming = register_memory(&c->peer, &c->received, sizeof c->received, IBV_ACCESS_LOCAL_WRITE);
    c->local_mr = register_memory(&c->peer, c->local, BUFFER_SIZE, c->reading ? IBV_ACCESS_LOCAL_WRITE : 0);
    c->remote_mr = register_memory(&c->peer, c->remote, BUFFER_SIZE, remote_access);
    // Who writes has its text in the region it writes from, who reads in the one it lets be read.
    snprintf(c->reading ? c->remote : c->local, BUFFER_SIZE, "message from %s side with pid %ld", side,
             (long)getpid());
    post_receive(&c->peer, c->incoming);
}

static void send_mr(struct connection *c) {
    c->mr_posted = 1;
    memset(&c->sent, 0, sizeof c->sent);
    c->sent.type = MSG_MR;
    c->sent.address = (uintptr_t)c->remote;
    c->sent.length = BUFFER_SIZE;
    c->sent.rkey = c->remote_mr->rkey;
    post_send(&c->peer, c->outgoing, 0);
}

static void transfer(struct connection *c) {
    c->rdma_posted = 1;
    printf("received MSG_MR. %s\n",
           c->reading ? "reading message from remote memory..." : "writing message to remote memory...");
    post_rdma(&c->peer, c->reading ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, c->local_mr, c->theirs.address,
              c->theirs.rkey);
    memset(&c->sent, 0, sizeof c->sent);
    c->sent.type = MSG_DONE;
    // The other side may take its memory away when it hears DONE: after a read, not before the bytes are here.
    post_send(&c->peer, c->outgoing, c->reading ? IBV_SEND_FENCE : 0);
}

static void on_message(struct connection *c, uint32_t length) {
    if (length != sizeof c->received) {
        fail("length of the message: %u (expected: %zu)", length, sizeof c->received);
    }
    if (c->received.type == MSG_MR && !c->mr_received) {
        c->mr_received = 1;
        c->theirs = c->received;
        post_receive(&c->peer, c->incoming);
        if (!c->mr_posted) {
            send_mr(c);
        }
    } else if (c->received.type == MSG_DONE && c->mr_received) {
        c->done_received = 1;
    } else {
        fail("unexpected message of type %" PRId32, c->received.type);
    }
}

static void on_completion(struct connection *c, const struct ibv_wc *wc) {
    if (wc->status != IBV_WC_SUCCESS) {
        fail("work request failed: status %d (%s)", wc->status, ibv_wc_status_str(wc->status));
    }
    if (wc->opcode & IBV_WC_RECV) {
        on_message(c, wc->byte_len);
    } else {
        c->sends_done++;
        printf("send completed successfully.\n");
    }
    if (!c->rdma_posted && c->sends_done == 1 && c->mr_received) {
        transfer(c);
    }
}

// Returns whether this side is the one that disconnects.
static int exchange(struct connection *c) {
    struct ibv_wc wc;
    while (c->sends_done < 3 || !c->done_received) {
        if (await_news(&c->peer, &wc) == DISCONNECTED) {
            // The other side was done first; it has heard MSG_DONE, or it would not have disconnected.
            if (c->sends_done < 2 || !c->done_received) {
                fail("disconnected too early, after %d sends", c->sends_done);
            }
            return 0;
        }
        on_completion(c, &wc);
    }
    return 1;
}

static void finish(struct connection *c) {
    int active = exchange(c);
    char *text = c->reading ? c->local : c->remote;
    text[BUFFER_SIZE - 1] = 0;
    printf("remote buffer: %s\n", text);
    if (active) {
        disconnect(&c->peer);
    }
    ibv_dereg_mr(c->outgoing);
    ibv_dereg_mr(c->incoming);
    ibv_dereg_mr(c->local_mr);
    ibv_dereg_mr(c->remote_mr);
    close_peer(&c->peer);
    printf("disconnected.\n");
}

int main(int argc, char **argv) {
    static struct connection connection;
    struct rdma_conn_param parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.initiator_depth = 1;
    parameters.responder_resources = 1;
    parameters.rnr_retry_count = 7;
    set_time_limit(TIME_LIMIT_SECONDS);
    if (argc < 3 || (strcmp(argv[2], "write") && strcmp(argv[2], "read"))) {
        fail("usage: write_read_peer server write|read | client write|read HOST PORT");
    }
    connection.reading = !strcmp(argv[2], "read");
    if (argc == 3 && !strcmp(argv[1], "server")) {
        take_request(&connection.peer, 0);
        open_buffers(&connection, "passive/server");
        accept_request(&connection.peer, &parameters);
    } else if (argc == 5 && !strcmp(argv[1], "client")) {
        resolve(&connection.peer, argv[3], argv[4]);
        open_buffers(&connection, "active/client");
        connect_to_server(&connection.peer, &parameters);
        send_mr(&connection);
    } else {
        fail("usage: write_read_peer server write|read | client write|read HOST PORT");
    }
    finish(&connection);
    return 0;
}
