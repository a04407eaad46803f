// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import io.verbena.tools.ToolException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Definitions as brpc shows them. */
final class BrpcSchemaTest {
    private static final Map<String, String> DEFINITIONS =
            Map.of(
                    "example.EchoService",
                    """
                    service EchoService {
                      option (brpc.timeout) = { ms: 5; };
                      rpc Echo(.example.EchoRequest) returns (.example.EchoRequest);
                      rpc Other(.other.Thing) returns (.example.EchoRequest.Part) {
                        option deprecated = true;
                      }
                    }
                    """,
                    "example.EchoRequest",
                    """
                    message EchoRequest {
                      // a comment
                      required string message = 1;
                      optional int64 count = 2 [default = -5, deprecated = true];
                      repeated .example.EchoRequest.Part part = 3;
                      optional .example.EchoRequest.Colour colour = 4 [default = RED];
                      map<string, .other.Thing> things_by_name = 5;
                      oneof choice {
                        bool yes = 6;
                        string no = 7;
                      }
                      optional .example.Unlisted unlisted = 8;
                      message Part {
                        optional bytes data = 1;
                      }
                      enum Colour {
                        RED = 0;
                        GREEN = 0x2;
                      }
                      extensions 100 to 199;
                      reserved 9, 10 to 12;
                    }
                    """,
                    "example.EchoRequest.Part",
                    """
                    message Part {
                      optional bytes data = 1;
                    }
                    """,
                    "other.Thing",
                    """
                    message Thing {
                      double weight = 1;
                      repeated string names = 2;
                    }
                    """);

    @Test
    void shouldReadWhatBrpcShows() throws Exception {
        Schema schema = Schema.of(BrpcSchema.of(DEFINITIONS));

        MethodDescriptor echo = schema.method("EchoService.Echo");
        Descriptor request = echo.getInputType();
        assertThat(request.getFullName()).isEqualTo("example.EchoRequest");
        assertThat(request.findFieldByName("message").isRequired()).isTrue();
        assertThat(request.findFieldByName("colour").getType())
                .isEqualTo(FieldDescriptor.Type.ENUM);
        assertThat(request.findFieldByName("things_by_name").isMapField()).isTrue();
        assertThat(request.findFieldByName("no").getContainingOneof().getName())
                .isEqualTo("choice");
        assertThat(request.findFieldByName("unlisted").getType())
                .isEqualTo(FieldDescriptor.Type.INT32);
        assertThat(schema.method("example.EchoService.Other").getInputType().getFullName())
                .isEqualTo("other.Thing");

        String json =
                "{\"message\":\"x\",\"part\":[{\"data\":\"AQ==\"}],\"colour\":\"GREEN\","
                        + "\"things_by_name\":{\"a\":{\"weight\":1.5}},\"yes\":true}";
        DynamicMessage.Builder message = DynamicMessage.newBuilder(request);
        JsonFormat.parser().merge(json, message);
        assertThat(
                        JsonFormat.printer()
                                .preservingProtoFieldNames()
                                .omittingInsignificantWhitespace()
                                .print(message))
                .isEqualTo(json);
    }

    @Test
    void shouldSayWhatItCannotRead() {
        assertThatThrownBy(() -> BrpcSchema.of(Map.of("a.B", "message B { required string x; }")))
                .isInstanceOf(ToolException.class)
                .hasMessage("schema: message B { required string x; }: ; (expected: =)");
        assertThatThrownBy(() -> BrpcSchema.of(Map.of("a.B", "message B { required string")))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("the end (expected: more)");
    }
}
