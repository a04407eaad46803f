// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether names that documents have in backticks are names of the code.
 *
 * <p>Types are looked for in the sources of all modules, members in the class files of those that
 * are on the class path, inherited ones included. Of the others (benchmarks, the lab, tests) it is
 * enough that the source has the word.
 */
final class NamedTypes {
    /** Where types are looked for. */
    enum Scope {
        MAIN_SOURCES,
        ALL_SOURCES
    }

    /** Names that look like ours and are not. */
    private static final Set<String> FOREIGN =
            Set.of(
                    // JDK and libraries
                    "AutoCloseable",
                    "CompletableFuture",
                    "CompletionStage",
                    "GeneratorNames",
                    "IllegalStateException",
                    "RpcChannel",
                    "ScopedValue",
                    "ServiceException",
                    "BlockingService",
                    "Service",
                    "com.google.protobuf.Service",
                    "ByteBuf",
                    "ByteBuffer",
                    "ConnectException",
                    "EmbeddedChannel",
                    "FileDescriptorSet",
                    "Http2ConnectionHandler",
                    "IOException",
                    "Linker.Option.critical",
                    "RpcController",
                    "SecureRandom",
                    "ServiceLoader",
                    "SocketTimeoutException",
                    "String",
                    "System.gc",
                    // services and messages of protobuf, and what is generated from them
                    "grpc.health.v1.Health",
                    "GreetingService",
                    "GreetingService.Async",
                    "GreetingService.Methods",
                    "GreetingServiceClient",
                    "example.EchoService",
                    "google.protobuf.BytesValue",
                    "test.PerfTestService",
                    // of C++ programs, the kernel and HTTP
                    "Authorization",
                    "MetaData",
                    "VmRSS",
                    // words that names must not have
                    "Helper",
                    "Impl",
                    "Manager",
                    "Utils");

    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");

    /** Packages or an outer type, the type, a member, arguments. */
    private static final Pattern NAME =
            Pattern.compile(
                    "((?:\\w+\\.)*?)([A-Z]\\w*[a-z]\\w*)(?:\\.([a-zA-Z_]\\w*))?(?:\\([^)]*\\))?");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|enum|record)\\s+([A-Z]\\w*)");

    private record Source(Path file, String packageName, String text, boolean isMain) {
        /** {@return whether the package, or the type of the file, ends with a qualifier} */
        boolean isIn(String qualifier) {
            String owner = "." + packageName + ".";
            String type = file.getFileName().toString().replace(".java", "");
            return qualifier.isEmpty()
                    || owner.endsWith("." + qualifier)
                    || (owner + type + ".").endsWith("." + qualifier);
        }

        boolean hasWord(String word) {
            return Pattern.compile("\\b" + Pattern.quote(word) + "\\b").matcher(text).find();
        }
    }

    private final Map<String, List<Source>> sources = new HashMap<>();
    private final Map<String, List<JavaClass>> classes = new HashMap<>();

    private NamedTypes() {}

    static NamedTypes read() throws IOException {
        NamedTypes types = new NamedTypes();
        try (Stream<Path> modules = Files.list(Document.ROOT)) {
            for (Path module : modules.filter(Files::isDirectory).toList()) {
                types.addSources(module.resolve(Path.of("src", "main", "java")), true);
                types.addSources(module.resolve(Path.of("src", "test", "java")), false);
            }
        }
        JavaClasses imported =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.verbena");
        for (JavaClass each : imported) {
            types.classes.computeIfAbsent(each.getSimpleName(), _ -> new ArrayList<>()).add(each);
        }
        return types;
    }

    private void addSources(Path folder, boolean isMain) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                addSource(file, isMain);
            }
        }
    }

    private void addSource(Path file, boolean isMain) throws IOException {
        String text = COMMENT.matcher(Files.readString(file)).replaceAll(" ");
        Matcher inPackage = PACKAGE.matcher(text);
        if (!inPackage.find()) {
            return;
        }
        Source source = new Source(file, inPackage.group(1), text, isMain);
        Matcher type = TYPE.matcher(text);
        while (type.find()) {
            sources.computeIfAbsent(type.group(1), _ -> new ArrayList<>()).add(source);
        }
    }

    /** {@return all names of a document that look like those of types} */
    static List<String> names(Document document) {
        return document.prose().stream().flatMap(line -> names(line).stream()).toList();
    }

    private static List<String> names(Document.Line line) {
        return SPAN.matcher(line.text())
                .results()
                .map(span -> span.group(1))
                .filter(name -> NAME.matcher(name).matches())
                .toList();
    }

    /** {@return what is wrong with the names of a document} */
    List<String> complaints(Document document, Scope scope) {
        List<String> found = new ArrayList<>();
        for (Document.Line line : document.prose()) {
            for (String name : names(line)) {
                String what = complaint(name, scope);
                if (!what.isEmpty()) {
                    found.add(document.complaint(line, "`" + name + "`: " + what));
                }
            }
        }
        return found;
    }

    private String complaint(String name, Scope scope) {
        Matcher parts = NAME.matcher(name);
        if (FOREIGN.contains(name.replaceFirst("\\(.*", "")) || !parts.matches()) {
            return "";
        }
        String qualifier = parts.group(1);
        String type = parts.group(2);
        String member = parts.group(3);
        List<Source> candidates =
                sources.getOrDefault(type, List.of()).stream()
                        .filter(source -> source.isMain() || scope == Scope.ALL_SOURCES)
                        .filter(source -> source.isIn(qualifier))
                        .toList();
        if (candidates.isEmpty()) {
            return "there is no type " + qualifier + type + " in the sources";
        }
        if (member == null || candidates.stream().anyMatch(it -> hasMember(it, type, member))) {
            return "";
        }
        return type + " has no member " + member;
    }

    private boolean hasMember(Source source, String type, String member) {
        List<Source> nested = sources.getOrDefault(member, List.of());
        if (nested.stream().anyMatch(it -> it.file().equals(source.file()))) {
            return true;
        }
        List<JavaClass> compiled =
                classes.getOrDefault(type, List.of()).stream()
                        .filter(it -> it.getPackageName().equals(source.packageName()))
                        .toList();
        if (compiled.isEmpty()) {
            return source.hasWord(member);
        }
        return compiled.stream()
                .flatMap(it -> it.getAllMembers().stream())
                .anyMatch(it -> it.getName().equals(member));
    }
}
