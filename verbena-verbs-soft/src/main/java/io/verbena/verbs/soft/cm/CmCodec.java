// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Gid;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectReply;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectRequest;
import io.verbena.verbs.soft.cm.CmMessage.Endpoint;
import io.verbena.verbs.soft.cm.CmMessage.Offer;
import io.verbena.verbs.soft.cm.CmMessage.ReadyToUse;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Reply;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * Encodes and decodes the connection manager's messages. All fields are big-endian.
 *
 * <pre>
 * header  0 magic "VBCM" (4) | 4 version (1) | 5 type (1) | 6 length of the body (2)
 * REQ     0 destination IP (16) | 16 destination port (2) | 18 source port (2) | 20 source IP (16)
 *         36 GID (16) | 52 queue pair (4) | 56 PSN (4) | 60 responder resources (1)
 *         61 initiator depth (1) | 62 retry (1) | 63 RNR retry (1) | 64 MTU code (1)
 *         65 length of private data (1) | 66 private data (0..56)
 * REP     0 GID (16) | 16 queue pair (4) | 20 PSN (4) | 24 responder resources (1)
 *         25 initiator depth (1) | 26 RNR retry (1) | 27 length (1) | 28 private data (0..196)
 * REJ     0 reason (2) | 2 length (1) | 3 private data (0..148)
 * RTU, DREQ, DREP have no body
 * </pre>
 *
 * <p>IPv4 addresses are written as IPv4-mapped IPv6. The header and REJ are the same in every
 * version, so that a REJ of any version is understood. A decoder holds at most {@link #MAX_BODY}
 * bytes, whatever arrives.
 */
final class CmCodec {
    /** The version of the protocol this class speaks. */
    static final int VERSION = 1;

    static final int HEADER = 8;
    static final int TYPE_REQUEST = 1;
    static final int TYPE_REPLY = 2;
    static final int TYPE_READY_TO_USE = 3;
    static final int TYPE_REJECT = 4;
    static final int TYPE_DISCONNECT_REQUEST = 5;
    static final int TYPE_DISCONNECT_REPLY = 6;

    private static final int MAGIC = 0x5642434D;
    private static final int REQUEST_FIXED = 66;
    private static final int REPLY_FIXED = 28;
    private static final int REJECT_FIXED = 3;

    /** The longest body. */
    static final int MAX_BODY = REPLY_FIXED + ConnectionParameters.MAX_ACCEPT_DATA;

    private static final int ADDRESS = 16;
    private static final int MAX_24_BITS = 0xFFFFFF;

    /**
     * The start of a message.
     *
     * @param type which message
     * @param length how many bytes of body follow; checked to be possible for the type
     */
    record Header(int type, int length) {}

    private CmCodec() {}

    /** {@return a whole message, ready to be written} */
    static ByteBuffer encode(CmMessage message) {
        ByteBuffer body = ByteBuffer.allocate(HEADER + MAX_BODY).position(HEADER);
        int type =
                switch (message) {
                    case Request request -> encodeRequest(request, body);
                    case Reply reply -> encodeReply(reply, body);
                    case Reject reject -> encodeReject(reject, body);
                    case ReadyToUse _ -> TYPE_READY_TO_USE;
                    case DisconnectRequest _ -> TYPE_DISCONNECT_REQUEST;
                    case DisconnectReply _ -> TYPE_DISCONNECT_REPLY;
                };
        body.flip();
        body.putInt(0, MAGIC).put(4, (byte) VERSION).put(5, (byte) type);
        return body.putShort(6, (short) (body.limit() - HEADER));
    }

    /** {@return the header in the next {@link #HEADER} bytes} */
    static Header decodeHeader(ByteBuffer bytes) throws CmProtocolException {
        int magic = bytes.getInt();
        int version = Byte.toUnsignedInt(bytes.get());
        int type = Byte.toUnsignedInt(bytes.get());
        int length = Short.toUnsignedInt(bytes.getShort());
        if (magic != MAGIC) {
            throw new CmProtocolException(
                    "magic: 0x" + hex(magic) + " (expected: 0x" + hex(MAGIC) + ")");
        }
        if (version != VERSION && type != TYPE_REJECT) {
            throw CmProtocolException.otherVersion(version, VERSION);
        }
        int fixed = fixedLength(type);
        within("length", length, fixed, fixed + maxPrivateData(type));
        return new Header(type, length);
    }

    /** {@return the message whose body is in the remaining bytes} */
    static CmMessage decodeBody(Header header, ByteBuffer body) throws CmProtocolException {
        within("body.remaining", body.remaining(), header.length(), header.length());
        return switch (header.type()) {
            case TYPE_REQUEST -> decodeRequest(body);
            case TYPE_REPLY -> decodeReply(body);
            case TYPE_REJECT -> decodeReject(body);
            case TYPE_READY_TO_USE -> new ReadyToUse();
            case TYPE_DISCONNECT_REQUEST -> new DisconnectRequest();
            case TYPE_DISCONNECT_REPLY -> new DisconnectReply();
            default -> throw unknownType(header.type());
        };
    }

    private static int encodeRequest(Request request, ByteBuffer to) {
        putAddress(to, request.destination().getAddress());
        to.putShort((short) request.destination().getPort());
        to.putShort((short) request.source().getPort());
        putAddress(to, request.source().getAddress());
        putEndpoint(to, request.endpoint());
        Offer offer = request.offer();
        to.put((byte) offer.responderResources()).put((byte) offer.initiatorDepth());
        to.put((byte) offer.retry()).put((byte) offer.rnrRetry());
        to.put((byte) request.mtu().code());
        putPrivateData(to, request.privateData());
        return TYPE_REQUEST;
    }

    private static Request decodeRequest(ByteBuffer from) throws CmProtocolException {
        InetAddress destination = address(from);
        int destinationPort = Short.toUnsignedInt(from.getShort());
        int sourcePort = Short.toUnsignedInt(from.getShort());
        InetAddress source = address(from);
        Endpoint endpoint = endpoint(from);
        int resources = Byte.toUnsignedInt(from.get());
        int depth = Byte.toUnsignedInt(from.get());
        int retry = within("retry", from.get(), 0, 7);
        int rnrRetry = within("rnrRetry", from.get(), 0, 7);
        int mtu = within("mtu", from.get(), 1, PathMtu.MTU_4096.code());
        return new Request(
                new InetSocketAddress(destination, destinationPort),
                new InetSocketAddress(source, sourcePort),
                endpoint,
                new Offer(resources, depth, retry, rnrRetry),
                PathMtu.of(mtu),
                privateData(from));
    }

    private static int encodeReply(Reply reply, ByteBuffer to) {
        putEndpoint(to, reply.endpoint());
        Offer offer = reply.offer();
        to.put((byte) offer.responderResources()).put((byte) offer.initiatorDepth());
        to.put((byte) offer.rnrRetry());
        putPrivateData(to, reply.privateData());
        return TYPE_REPLY;
    }

    private static Reply decodeReply(ByteBuffer from) throws CmProtocolException {
        Endpoint endpoint = endpoint(from);
        int resources = Byte.toUnsignedInt(from.get());
        int depth = Byte.toUnsignedInt(from.get());
        int rnrRetry = within("rnrRetry", from.get(), 0, 7);
        return new Reply(endpoint, new Offer(resources, depth, 0, rnrRetry), privateData(from));
    }

    private static int encodeReject(Reject reject, ByteBuffer to) {
        to.putShort((short) reject.reason());
        putPrivateData(to, reject.privateData());
        return TYPE_REJECT;
    }

    private static Reject decodeReject(ByteBuffer from) throws CmProtocolException {
        int reason = Short.toUnsignedInt(from.getShort());
        return new Reject(reason, privateData(from));
    }

    private static int fixedLength(int type) throws CmProtocolException {
        return switch (type) {
            case TYPE_REQUEST -> REQUEST_FIXED;
            case TYPE_REPLY -> REPLY_FIXED;
            case TYPE_REJECT -> REJECT_FIXED;
            case TYPE_READY_TO_USE, TYPE_DISCONNECT_REQUEST, TYPE_DISCONNECT_REPLY -> 0;
            default -> throw unknownType(type);
        };
    }

    private static int maxPrivateData(int type) {
        return switch (type) {
            case TYPE_REQUEST -> ConnectionParameters.MAX_CONNECT_DATA;
            case TYPE_REPLY -> ConnectionParameters.MAX_ACCEPT_DATA;
            case TYPE_REJECT -> ConnectionParameters.MAX_REJECT_DATA;
            default -> 0;
        };
    }

    private static void putAddress(ByteBuffer to, InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length < ADDRESS) {
            to.putLong(0).putInt(0xFFFF);
        }
        to.put(bytes);
    }

    private static InetAddress address(ByteBuffer from) {
        byte[] bytes = new byte[ADDRESS];
        from.get(bytes);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are always an address", e);
        }
    }

    private static void putEndpoint(ByteBuffer to, Endpoint endpoint) {
        to.putLong(endpoint.gid().high()).putLong(endpoint.gid().low());
        to.putInt(endpoint.number()).putInt(endpoint.psn());
    }

    private static Endpoint endpoint(ByteBuffer from) throws CmProtocolException {
        Gid gid = new Gid(from.getLong(), from.getLong());
        int number = within("queue pair", from.getInt(), 0, MAX_24_BITS);
        int psn = within("psn", from.getInt(), 0, MAX_24_BITS);
        return new Endpoint(gid, number, psn);
    }

    private static void putPrivateData(ByteBuffer to, PrivateData bytes) {
        to.put((byte) bytes.length()).put(bytes.bytes());
    }

    private static PrivateData privateData(ByteBuffer from) throws CmProtocolException {
        int length = Byte.toUnsignedInt(from.get());
        within("length of private data", length, from.remaining(), from.remaining());
        byte[] bytes = new byte[length];
        from.get(bytes);
        return PrivateData.of(bytes, length);
    }

    private static int within(String name, int value, int low, int high)
            throws CmProtocolException {
        if (value < low || value > high) {
            throw new CmProtocolException(
                    name + ": " + value + " (expected: " + low + ".." + high + ")");
        }
        return value;
    }

    private static String hex(int value) {
        return HexFormat.of().toHexDigits(value);
    }

    private static CmProtocolException unknownType(int type) {
        return new CmProtocolException("type: " + type + " (expected: 1..6)");
    }
}
