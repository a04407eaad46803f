// SPDX-License-Identifier: Apache-2.0
//
// The two sides of the tutorial's rdma_send_recv, as small as they can be.
//
//   send_recv_peer server PORT [--no-greeting]
//   send_recv_peer client HOST PORT [--no-greeting]

#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIME_LIMIT_SECONDS = 300 };

struct connection {
    struct peer peer;
    struct ibv_mr *outgoing;
    struct ibv_mr *incoming;
    char sent[BUFFER_SIZE];
    char received[BUFFER_SIZE];
};

static void open_buffers(struct connection *connection) {
    connection->outgoing = register_memory(&connection->peer, connection->sent, BUFFER_SIZE, 0);
    connection->incoming =
        register_memory(&connection->peer, connection->received, BUFFER_SIZE, IBV_ACCESS_LOCAL_WRITE);
    post_receive(&connection->peer, connection->incoming);
}

static void send_text(struct connection *connection, const char *side) {
    printf("connected. posting send...\n");
    snprintf(connection->sent, BUFFER_SIZE, "message from %s side with pid %ld", side, (long)getpid());
    post_send(&connection->peer, connection->outgoing, 0);
}

static void on_completion(struct connection *connection, const struct ibv_wc *wc) {
    if (wc->status != IBV_WC_SUCCESS) {
        fail("work request failed: status %d (%s)", wc->status, ibv_wc_status_str(wc->status));
    }
    if (!(wc->opcode & IBV_WC_RECV)) {
        printf("send completed successfully.\n");
        return;
    }
    if (wc->byte_len != BUFFER_SIZE) {
        fail("length of the message: %u (expected: %d)", wc->byte_len, BUFFER_SIZE);
    }
    connection->received[BUFFER_SIZE - 1] = 0;
    printf("received message: %s\n", connection->received);
}

static void await_completions(struct connection *connection, int count) {
    struct ibv_wc wc;
    int i;
    for (i = 0; i < count; i++) {
        if (await_news(&connection->peer, &wc) == DISCONNECTED) {
            fail("disconnected after %d of %d completions", i, count);
        }
        on_completion(connection, &wc);
    }
}

static void await_flush(struct connection *connection) {
    struct ibv_wc wc;
    if (await_news(&connection->peer, &wc) != COMPLETED || wc.status != IBV_WC_WR_FLUSH_ERR) {
        fail("the posted receive was not flushed");
    }
    printf("flushed.\n");
}

static void serve(struct connection *connection, int port, int greeting) {
    struct rdma_conn_param parameters;
    struct ibv_wc wc;
    memset(&parameters, 0, sizeof parameters);
    take_request(&connection->peer, port);
    // Before the connection is accepted: the client may send at once.
    open_buffers(connection);
    accept_request(&connection->peer, &parameters);
    if (greeting) {
        send_text(connection, "passive/server");
    }
    await_completions(connection, greeting ? 2 : 1);
    if (await_news(&connection->peer, &wc) != DISCONNECTED) {
        fail("unexpected completion, status %d", wc.status);
    }
    printf("peer disconnected.\n");
}

static void run_client(struct connection *connection, const char *host, const char *port, int greeting) {
    struct rdma_conn_param parameters;
    memset(&parameters, 0, sizeof parameters);
    resolve(&connection->peer, host, port);
    open_buffers(connection);
    connect_to_server(&connection->peer, &parameters);
    send_text(connection, "active/client");
    await_completions(connection, greeting ? 2 : 1);
    disconnect(&connection->peer);
    if (!greeting) {
        await_flush(connection);
    }
    printf("disconnected.\n");
}

int main(int argc, char **argv) {
    static struct connection connection;
    int greeting = argc < 2 || strcmp(argv[argc - 1], "--no-greeting");
    int words = greeting ? argc : argc - 1;
    set_time_limit(TIME_LIMIT_SECONDS);
    if (words == 3 && !strcmp(argv[1], "server")) {
        serve(&connection, atoi(argv[2]), greeting);
    } else if (words == 4 && !strcmp(argv[1], "client")) {
        run_client(&connection, argv[2], argv[3], greeting);
    } else {
        fail("usage: send_recv_peer server PORT | client HOST PORT, then maybe --no-greeting");
    }
    ibv_dereg_mr(connection.outgoing);
    ibv_dereg_mr(connection.incoming);
    close_peer(&connection.peer);
    return 0;
}
