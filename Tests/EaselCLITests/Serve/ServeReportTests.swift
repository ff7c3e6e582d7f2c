import Foundation
import Testing

@testable import EaselCLI

struct ServeReportTests {
  @Test func everySettingStandsWithItsValueAndItsPlace() throws {
    var bench = ServeBench.file(
      "cache-size = 2G\ncache = /var/cache/easel\nallow-source = https://a\nallow-source = https://b")
    bench.words += ["--quality", "70"]
    bench.environment = ["EASEL_TTL": "1h"]
    let report = ServeReport.text(of: try bench.read())
    let lines = report.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    func line(_ name: String) -> [String]? { lines.first { $0.first == name } }
    for setting in ServeTable.settings { #expect(line(setting.name) != nil, "\(setting.name)") }
    #expect(line("cache-size") == ["cache-size", "2G", "easel.conf:1"])
    #expect(line("allow-source") == ["allow-source", "https://a", "https://b", "easel.conf:3,4"])
    #expect(line("quality") == ["quality", "70", "--quality"])
    #expect(line("ttl") == ["ttl", "1h", "EASEL_TTL"])
    #expect(line("urls") == ["urls", "imgproxy", "default"])
    #expect(line("workers") == ["workers", "-", "not", "set"])
    #expect(line("unsafe") == ["unsafe", "true", "--unsafe"])
    for topic in ServeSetting.Topic.allCases { #expect(report.contains(topic.rawValue + "\n")) }
    #expect(report.hasSuffix("Everybody may use the server, because unsafe is set."))
  }

  @Test func secretsAreCounted() throws {
    let report = ServeReport.text(
      of: try ServeBench(words: ["--key", "c0ffee", "--salt", "-", "--key", "beef", "--salt", "dead"]).read())
    #expect(report.contains("(2, not shown)") && !report.contains("c0ffee") && !report.contains("dead"))
    #expect(report.hasSuffix("URLs are signed with one of 2 keys."))
  }

  @Test func addressesHaveNoPasswords() throws {
    let report = ServeReport.text(
      of: try ServeBench.unsafe(
        "--watermark-image", "https://alice:geheim@h/w.png", "--fallback-image", "https://alice:geheim@h/f.png"
      ).read())
    #expect(report.contains("https://***@h/w.png") && report.contains("@h/f.png"))
    #expect(!report.contains("geheim"))
  }

  @Test func theTerminalIsSafe() throws {
    let report = ServeReport.text(of: try ServeBench.unsafe("--watermark-image", "https://h/\u{1B}[2J").read())
    #expect(report.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 32 && $0.value != 127) })
  }
}

/// The files of the real machine.
struct ServeSystemTests {
  private func mistake(_ path: String) -> String? {
    if case .failure(let mistake) = ServeSystem.real.text(path) { mistake.message } else { nil }
  }

  @Test func whatEveryUserCanReadIsKnown() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(Data("a b\n".utf8), "keys")
      let folder = scratch.directory.path
      func isOpen(_ file: Int, _ directory: Int) throws -> Bool {
        try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: directory], ofItemAtPath: folder)
        return ServeSystem.real.isOpenToAll(path)
      }
      // In a folder that others may not enter, the mode of the file says nothing.
      #expect(try !isOpen(0o640, 0o755) && !isOpen(0o600, 0o755) && !isOpen(0o644, 0o750))
      #expect(ServeSystem.real.isOpenToAll("/etc/passwd") && !ServeSystem.real.isOpenToAll("/nonexistent"))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    }
  }

  @Test func textsAreRead() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(Data("quality = 70\n".utf8), "easel.conf")
      #expect(try ServeSystem.real.text(path).get() == "quality = 70\n")
      #expect(ServeSystem.real.isFile(path) && !ServeSystem.real.isFolder(path))
      #expect(ServeSystem.real.isFolder(scratch.directory.path) && !ServeSystem.real.isFile(scratch.directory.path))
      #expect(!ServeSystem.real.isFile(scratch.path("missing")))
    }
  }

  @Test func whatIsNoTextIsRefused() throws {
    try Scratch.with { scratch in
      let nul = try scratch.write(Data([0x61, 0x00, 0x62]), "nul")
      let latin = try scratch.write(Data([0xC3, 0x28]), "latin")
      let large = try scratch.write(Data(repeating: 0x20, count: ConfigurationFile.mostBytes + 1), "large")
      #expect(mistake(scratch.path("missing"))?.hasSuffix("cannot be read: No such file or directory.") == true)
      #expect(mistake(scratch.directory.path)?.contains("Is a directory") == true)
      #expect(mistake(nul)?.hasSuffix("is not a text in UTF-8.") == true)
      #expect(mistake(latin)?.hasSuffix("is not a text in UTF-8.") == true)
      #expect(mistake(large)?.contains("is larger than") == true)
      // Endless files and pipes without a writer hold nobody up.
      #expect(mistake("/dev/zero")?.contains("is larger than") == true)
      #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
      #expect(try ServeSystem.real.text(scratch.path("pipe")).get() == "")
    }
  }
}

/// The files in Examples/Serve.
struct ServeExampleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Serve")

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: Self.folder.appendingPathComponent(name)), as: UTF8.self)
  }

  @Test func theConfigurationIsValid() throws {
    var bench = ServeBench(words: ["--config", "easel.conf", "--key-file", "keys"])
    bench.files = ["easel.conf": try text("easel.conf"), "keys": "c0ffee c0de"]
    let configuration = try bench.read()
    #expect(configuration.settings.listen == [.systemd] && configuration.settings.cacheFolder == "/var/cache/easel")
    #expect(configuration.warnings.isEmpty)
  }

  /// Every setting stands in the file, and every commented line is right: the default, or a valid example.
  @Test func commentedLinesAreValid() throws {
    var names: Set<String> = []
    for line in try text("easel.conf").split(separator: "\n") {
      let words = (line.hasPrefix("#") ? line.dropFirst() : line).split(separator: " = ", maxSplits: 1).map(String.init)
      guard words.count == 2, let setting = ServeTable.settings.first(where: { $0.name == words[0] }) else {
        #expect(line == "#" || line.hasPrefix("# "), "\(line)")
        continue
      }
      names.insert(setting.name)
      var settings = ServeSettings()
      #expect(setting.set(&settings, [words[1]]) == nil, "\(line)")
      guard line.hasPrefix("#") else { continue }
      if let text = setting.defaultText { #expect(words[1] == text, "\(line)") }
      if !setting.option.takesValue { #expect(words[1] == "false", "\(line)") }
    }
    #expect(names == Set(ServeTable.settings.map(\.name)))
  }

  @Test func theUnitUsesOptionsThatExist() throws {
    let unit = try text("easel.service")
    let commands = unit.split(separator: "\n").filter { $0.hasPrefix("ExecStart") }
    #expect(commands.count == 2)
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      #expect(words[0].hasSuffix("/usr/bin/easel") && words[1] == "serve")
      _ = try ArgumentParser(ServeBench.description).parse(Array(words.dropFirst(2)))
    }
    for line in ["MALLOC_ARENA_MAX=2", "LimitNOFILE=65536", "Requires=easel.socket", "NoNewPrivileges=yes"] {
      #expect(unit.contains(line))
    }
    // The server has time to end before systemd ends it.
    let times = ServeSettings().drainDelay + ServeSettings().drainTime
    let stop = unit.split(separator: "\n").first { $0.hasPrefix("TimeoutStopSec=") }?.dropFirst(15)
    #expect(try .seconds(#require(stop.flatMap { Int($0) })) > times)
  }
}
