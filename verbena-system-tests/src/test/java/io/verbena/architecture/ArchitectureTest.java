// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.verbena.verbs.Devices;
import io.verbena.verbs.spi.VerbsProvider;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of docs/architecture.md, which no compiler checks, for the modules on its path. */
final class ArchitectureTest {
    private static final String[] PROGRAMS = {
        "io.verbena.bench..", "io.verbena.cli..", "io.verbena.examples..", "io.verbena.tools.."
    };

    /** Each has a module of its own. */
    private static final String[] REGISTRIES = {
        "io.verbena.naming.consul..",
        "io.verbena.naming.etcd..",
        "io.verbena.naming.nacos..",
        "io.verbena.naming.zookeeper.."
    };

    /** In the software device. Whatever is declared inside of these types counts, too. */
    private static final String ROLES =
            "io\\.verbena\\.verbs\\.soft\\.(Requester|Responder|Completer)(\\$.*)?";

    /** Neither the ring of completions nor what watches the peer of a queue pair is part of it. */
    private static final String WIRE =
            "io\\.verbena\\.verbs\\.soft\\."
                    + "(Ring\\w+|TransmitRing|ReceiveRing|Bells|Peers?|LocalPeer|RemotePeer"
                    + "|PeerSegment|Staging)(\\$.*)?";

    private static JavaClasses classes;

    /** Reads thousands of files, which takes its time on a busy machine. */
    @BeforeAll
    @Timeout(300)
    static void importClasses() {
        classes =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.verbena");
    }

    /** Guards against rules that hold only because no classes were read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.verbena.verbs.QueuePair",
                "io.verbena.verbs.soft.SoftQueuePair",
                "io.verbena.verbs.ibv.NativeQueuePair",
                "io.verbena.memory.BlockPool",
                "io.verbena.completion.Poller",
                "io.verbena.transport.Transport",
                "io.verbena.rpc.Channel",
                "io.verbena.rpc.generic.GenericChannel",
                "io.verbena.http.HttpProvider",
                "io.verbena.grpc.GrpcProvider",
                "io.verbena.naming.RestClient",
                "io.verbena.naming.consul.ConsulNaming",
                "io.verbena.naming.etcd.EtcdNaming",
                "io.verbena.naming.nacos.NacosNaming",
                "io.verbena.naming.zookeeper.ZooKeeperNaming",
                "io.verbena.socket.RdmaSocket",
                "io.verbena.examples.FirstCall",
                "io.verbena.tools.ChildProcess",
                "io.verbena.bench.BenchCommand",
                "io.verbena.cli.Main",
                "io.verbena.tck.VerbsFixture",
                "io.verbena.testing.Eventually",
            })
    void shouldKnowTheClassesOfEachModule(String type) {
        assertThat(classes.contain(type)).as(type).isTrue();
    }

    @Test
    void shouldDependDownwardsOnly() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("verbs")
                .definedBy("io.verbena.verbs", "io.verbena.verbs.spi..")
                .layer("soft")
                .definedBy("io.verbena.verbs.soft..")
                .layer("native")
                .definedBy("io.verbena.verbs.ibv..")
                .layer("memory")
                .definedBy("io.verbena.memory..")
                .layer("completion")
                .definedBy("io.verbena.completion..")
                .layer("transport")
                .definedBy("io.verbena.transport..")
                .layer("rpc")
                .definedBy("io.verbena.rpc..")
                .layer("http")
                .definedBy("io.verbena.http..")
                .layer("grpc")
                .definedBy("io.verbena.grpc..")
                .layer("naming")
                .definedBy("io.verbena.naming")
                .layer("registries")
                .definedBy(REGISTRIES)
                .layer("socket")
                .definedBy("io.verbena.socket..")
                .layer("programs")
                .definedBy(PROGRAMS)
                .layer("tck")
                .definedBy("io.verbena.tck..")
                .layer("testing")
                .definedBy("io.verbena.testing..")
                .whereLayer("verbs")
                .mayNotAccessAnyLayer()
                .whereLayer("soft")
                .mayOnlyAccessLayers("verbs")
                .whereLayer("native")
                .mayOnlyAccessLayers("verbs")
                .whereLayer("memory")
                .mayOnlyAccessLayers("verbs")
                .whereLayer("completion")
                .mayOnlyAccessLayers("verbs")
                .whereLayer("transport")
                .mayOnlyAccessLayers("verbs", "memory", "completion")
                .whereLayer("rpc")
                .mayOnlyAccessLayers("memory", "completion", "transport")
                .whereLayer("http")
                .mayOnlyAccessLayers("memory", "completion", "transport", "rpc")
                .whereLayer("grpc")
                .mayOnlyAccessLayers("memory", "completion", "transport", "rpc")
                .whereLayer("naming")
                .mayOnlyAccessLayers("transport", "rpc")
                .whereLayer("registries")
                .mayOnlyAccessLayers("naming", "rpc")
                .whereLayer("socket")
                .mayOnlyAccessLayers("verbs", "memory", "completion")
                .whereLayer("programs")
                .mayOnlyAccessLayers("verbs", "memory", "transport", "rpc", "http", "socket")
                .whereLayer("tck")
                .mayOnlyAccessLayers("verbs")
                .whereLayer("testing")
                .mayNotAccessAnyLayer()
                .ensureAllClassesAreContainedInArchitecture()
                .check(classes);
    }

    /** Includes the packages of one module: its parts have an order, too. */
    @Test
    void shouldHaveNoCyclesOfPackages() {
        slices().assignedFrom(new Packages())
                .should()
                .beFreeOfCycles()
                // code that looks up providers names their interface, which refers to devices
                .ignoreDependency(Devices.class, VerbsProvider.class)
                .check(classes);
    }

    /** Protobuf is going to drop them: only the adapter may have to go with them. */
    @Test
    void shouldNameGenericServicesInTheirAdapterOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.verbena.rpc.generic..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "com\\.google\\.protobuf\\."
                                + "(Service|BlockingService|RpcChannel|BlockingRpcChannel"
                                + "|RpcController|RpcCallback|RpcUtil|ServiceException)")
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("io.verbena.rpc.generic..")
                .check(classes);
    }

    @Test
    void shouldKnowTheTypesOfTheRolesAndOfTheWire() {
        assertThat(classes.stream().filter(type -> type.getName().matches(ROLES)))
                .hasSizeGreaterThanOrEqualTo(3);
        assertThat(classes.stream().filter(type -> type.getName().matches(WIRE)))
                .extracting(JavaClass::getSimpleName)
                .contains("RingWire", "RingOutbound", "RingInbound", "RingFrame")
                .contains("TransmitRing", "ReceiveRing", "Bells", "Peer", "Staging");
    }

    /** So that a second network needs no other roles. */
    @Test
    void shouldLetTheRolesUseTheWireByItsInterfacesOnly() {
        noClasses()
                .that()
                .haveNameMatching(ROLES)
                .should()
                .dependOnClassesThat()
                .haveNameMatching(WIRE)
                .check(classes);
    }

    @Test
    void shouldKeepStatesAndQueuesOutOfTheWire() {
        noClasses()
                .that()
                .haveNameMatching(WIRE)
                .should()
                .dependOnClassesThat()
                .haveNameMatching(ROLES)
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        "io\\.verbena\\.verbs\\.soft\\."
                                + "(SendQueue|ReceiveQueue|WorkQueue|Completion\\w+|SoftCompletion\\w+)")
                .check(classes);
    }

    @Test
    void shouldMakeNativeCallsInTheProvidersOnly() {
        ArchRule rule =
                noClasses()
                        .that()
                        .resideOutsideOfPackage("io.verbena.verbs.ibv..")
                        .and()
                        .doNotHaveFullyQualifiedName("io.verbena.verbs.soft.Posix")
                        .should()
                        .dependOnClassesThat(assignableTo(Linker.class))
                        .orShould()
                        .dependOnClassesThat(assignableTo(SymbolLookup.class))
                        .orShould()
                        .callMethodWhere(calls(System.class, "load|loadLibrary"))
                        .orShould()
                        .callMethodWhere(calls(Runtime.class, "load|loadLibrary"));

        rule.check(classes);
    }

    /** Such a call gives a segment bounds that are not checked. */
    @Test
    void shouldReinterpretMemoryInFewPlaces() {
        ArchRule rule =
                noClasses()
                        .that()
                        .resideOutsideOfPackage("io.verbena.verbs.ibv..")
                        .and()
                        .doNotHaveFullyQualifiedName("io.verbena.verbs.soft.Posix")
                        .and()
                        .doNotHaveFullyQualifiedName("io.verbena.verbs.soft.RawMemory")
                        .should()
                        .callMethodWhere(calls(MemorySegment.class, "reinterpret"))
                        .orShould()
                        .callMethodWhere(calls(AddressLayout.class, "withTargetLayout"));

        rule.check(classes);
    }

    @Test
    void shouldPrintInProgramsOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(PROGRAMS)
                .and()
                // tests print their seeds
                .resideOutsideOfPackage("io.verbena.testing..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(classes);
    }

    /** Programs find providers at run time. */
    @Test
    void shouldNameNoProvider() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.verbena.verbs.soft..", "io.verbena.verbs.ibv..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.verbena.verbs.soft..", "io.verbena.verbs.ibv..")
                .check(classes);
    }

    private static DescribedPredicate<JavaCall<?>> calls(Class<?> owner, String names) {
        return target(owner(assignableTo(owner)))
                .and(
                        DescribedPredicate.describe(
                                owner.getSimpleName() + "." + names,
                                call -> call.getTarget().getName().matches(names)));
    }

    /**
     * Slices by package. The values of the transport are in its exported package because users need
     * them, and yet lie below its other packages: they are a slice of their own.
     */
    private static final class Packages implements SliceAssignment {
        private static final String TRANSPORT = "io.verbena.transport";
        private static final Set<String> VALUES =
                Set.of(
                        "ConnectionStatistics",
                        "Flag",
                        "HandshakeState",
                        "RdmaState",
                        "SocketMode",
                        "TransportError",
                        "TransportException",
                        "TransportFlag",
                        "TransportFlags");

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            JavaClass element = type.getBaseComponentType();
            String inPackage = element.getPackageName();
            if (!inPackage.startsWith("io.verbena")) {
                return SliceIdentifier.ignore();
            }
            String outermost =
                    element.getName().substring(inPackage.length() + 1).split("\\$", 2)[0];
            return inPackage.equals(TRANSPORT) && VALUES.contains(outermost)
                    ? SliceIdentifier.of(TRANSPORT, "values")
                    : SliceIdentifier.of(inPackage);
        }

        @Override
        public String getDescription() {
            return "packages, and the values of " + TRANSPORT;
        }
    }
}
