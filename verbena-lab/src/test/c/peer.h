// SPDX-License-Identifier: Apache-2.0
//
// What the C peers of the tutorial's programs share: one connection by librdmacm, its queue pair, and the wait for what
// happens next. Every function that fails prints why and ends the process with status 1.

#ifndef VERBENA_PEER_H
#define VERBENA_PEER_H

#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

// The size of every buffer of text.
#define BUFFER_SIZE 1024

struct peer {
    struct rdma_event_channel *events;
    struct rdma_cm_id *listener;  // NULL on the active side
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct ibv_comp_channel *completions;
    struct ibv_cq *cq;
};

enum news { COMPLETED, DISCONNECTED };

// Prints a line to standard error and ends the process.
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// The same, with the verb that failed and why.
void fail_verb(const char *verb) __attribute__((noreturn));

// Ends the process when this time has passed: nothing here waits for ever.
void set_time_limit(unsigned seconds);

// Listens on a port, 0 for any, and prints which; then takes one request and makes its queue pair.
void take_request(struct peer *peer, int port);
void accept_request(struct peer *peer, struct rdma_conn_param *parameters);

// Finds the way to a server and makes a queue pair; then connects.
void resolve(struct peer *peer, const char *host, const char *port);
void connect_to_server(struct peer *peer, struct rdma_conn_param *parameters);

struct ibv_mr *register_memory(struct peer *peer, void *memory, size_t length, int access);
void post_receive(struct peer *peer, struct ibv_mr *mr);
void post_send(struct peer *peer, struct ibv_mr *mr, unsigned flags);
void post_rdma(struct peer *peer, enum ibv_wr_opcode opcode, struct ibv_mr *mr, uint64_t address, uint32_t rkey);

// Waits for a completion or for the end of the connection. After DISCONNECTED all that is posted completes, flushed.
enum news await_news(struct peer *peer, struct ibv_wc *wc);

// Ends the connection and waits until the other side has heard of it.
void disconnect(struct peer *peer);
void close_peer(struct peer *peer);

#endif
