// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.GeneratorNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The Java names of a service and all that is generated for it. If a name is taken, the interface
 * and the client get the suffix {@code Rpc}, and methods and constants an underscore.
 */
final class ServiceNames {
    private static final List<String> NESTED = List.of("Async", "Methods");

    private final ServiceDescriptor descriptor;
    private final ProtoFiles files;
    private final String javaPackage;
    private final String interfaceName;
    private final String clientName;
    private final List<MethodNames> methods;

    private ServiceNames(ServiceDescriptor descriptor, ProtoFiles files) {
        this.descriptor = descriptor;
        this.files = files;
        this.javaPackage = GeneratorNames.getFileJavaPackage(descriptor.getFile());
        this.interfaceName = free(descriptor.getName(), "");
        this.clientName = free(descriptor.getName(), "Client");
        this.methods = methods(descriptor);
    }

    static ServiceNames of(ServiceDescriptor descriptor, ProtoFiles files) {
        return new ServiceNames(descriptor, files);
    }

    private String free(String stem, String suffix) {
        String name = stem + suffix;
        for (String middle = "Rpc"; isTaken(name); middle += "_") {
            name = stem + middle + suffix;
        }
        return name;
    }

    private boolean isTaken(String name) {
        boolean isAnotherService =
                descriptor.getFile().getServices().stream()
                        .anyMatch(other -> other != descriptor && other.getName().equals(name));
        return isAnotherService || files.isTaken(javaPackage, name);
    }

    private static List<MethodNames> methods(ServiceDescriptor service) {
        Set<String> javaNames = new HashSet<>();
        Set<String> constants = new HashSet<>(Set.of("SERVICE"));
        // the plain names first: a method that is called XAsync keeps its name
        List<String> plain = new ArrayList<>();
        for (MethodDescriptor method : service.getMethods()) {
            plain.add(Words.unused(Words.method(method.getName()), javaNames));
        }
        List<MethodNames> names = new ArrayList<>();
        for (int i = 0; i < plain.size(); i++) {
            MethodDescriptor method = service.getMethods().get(i);
            names.add(
                    new MethodNames(
                            method,
                            plain.get(i),
                            Words.unused(plain.get(i) + "Async", javaNames),
                            Words.unused(Words.constant(method.getName()), constants)));
        }
        return names;
    }

    ServiceDescriptor descriptor() {
        return descriptor;
    }

    FileDescriptor file() {
        return descriptor.getFile();
    }

    String javaPackage() {
        return javaPackage;
    }

    /** {@return the class that protoc generates for the file, qualified} */
    String fileClass() {
        return ProtoFiles.qualified(javaPackage, GeneratorNames.getFileClassName(file()));
    }

    String interfaceName() {
        return interfaceName;
    }

    String clientName() {
        return clientName;
    }

    /** {@return the nested interface whose methods return stages} */
    String asyncName() {
        return nested(0);
    }

    /** {@return the nested class with a constant for each method} */
    String methodsName() {
        return nested(1);
    }

    /** A nested class cannot have the name of the one around it. */
    private String nested(int index) {
        String name = NESTED.get(index);
        return name.equals(interfaceName) ? name + "_" : name;
    }

    List<MethodNames> methods() {
        return methods;
    }

    /** {@return whether the service, or a message it uses, is deprecated} */
    boolean isAnyMessageDeprecated() {
        return methods.stream().anyMatch(MethodNames::isAnyMessageDeprecated);
    }

    /** {@return the imports of a source that declares a top-level class} */
    Imports imports(String topLevelClass) {
        return new Imports(
                javaPackage,
                List.of(topLevelClass, asyncName(), methodsName()),
                name -> files.isTaken(javaPackage, name));
    }
}
