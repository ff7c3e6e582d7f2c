import Easel
import Testing

@testable import EaselCLI

struct ServeTableTests {
  /// A value for each setting that differs from its default.
  private static let samples: [String: [String]] = [
    "listen": [":9000", "/run/easel.sock"], "metrics": ["127.0.0.1:9100"], "path-prefix": ["/pictures/"],
    "trusted-proxy": ["10.0.0.0/8", "::1"], "access-control-allow-origin": ["*"], "key": ["c0ffee"], "salt": ["-"],
    "key-file": ["keys"], "signature-size": ["16"], "unsafe": ["true"], "urls": ["thumbor", "/scans=iiif"],
    "public-origin": ["https://img.example.com"],
    "allowed-widths": ["320,640"], "allowed-qualities": ["50,75"], "local": ["pictures"], "sources-file": ["sources"],
    "allow-source": ["https://*.example.com/a", "http://h:8080"], "allow-private": ["true"], "max-source-bytes": ["5M"],
    "max-source-pixels": ["20M"], "cache": ["/var/cache/easel"], "cache-size": ["2G"], "memory-size": ["64M"],
    "memory-limit": ["512M"],
    "shared": ["s3://bucket/prefix?region=eu-west-1"], "shared-timeout": ["0.2"], "purge-lease": ["2"],
    "when-cut-off": ["load"], "client-rate": ["20"], "client-burst": ["30"],
    "preset": ["small=rs:fit:320:320", "default=q:70"], "presets-file": ["presets"], "only-presets": ["true"],
    "allowed-options": ["w,h,q"], "quality": ["75"], "format-quality": ["webp:70,jpeg:0.9"], "formats": ["webp,png"],
    "sandbox": ["risky"], "sandbox-best-effort": ["true"], "sandbox-reuse": ["5"],
    "avif-pixels": ["2M"], "avif-wait-pixels": ["300k"], "avif-meanwhile": ["30"],
    "max-result-side": ["4000"], "max-result-pixels": ["10M"], "client-hints": ["true"], "keep-metadata": ["true"],
    "damaged": ["show"],
    "fallback-image": ["https://example.com/x.png"], "fallback-status": ["404"],
    "watermark-image": ["https://example.com/w.png"], "ttl": ["1h"], "stale-while-revalidate": ["5m"],
    "stale-if-error": ["2d"], "fallback-ttl": ["10"], "follow-origin-freshness": ["true"], "canonical-link": ["true"],
    "workers": ["6"], "avif-workers": ["2"], "threads": ["2"], "request-timeout": ["12"], "queue-time": ["3"],
    "decode-time": ["4"], "patience": ["6"], "client-header": ["X-Client-ID"],
    "queue-length": ["50"], "connections": ["100"], "connections-per-address": ["10"], "idle-timeout": ["15"],
    "drain-delay": ["0"], "drain-time": ["1m"], "log": ["json"], "log-level": ["error"],
    "traces": ["http://127.0.0.1:4318"], "trace-ratio": ["0.5"], "log-urls": ["true"], "debug": ["true"],
    "playground": ["true"], "playground-secret": ["opensesame"], "playground-secret-file": ["secret"],
    "source-key": ["000102030405060708090a0b0c0d0e0f"], "reduce-results": ["true"], "fidelity": ["fast"],
    "quality-scale": ["library"],
    "jpeg-progressive": ["true"], "jpeg-no-subsample": ["true"], "jpeg-effort": ["3"], "webp-compression": ["lossless"],
    "webp-effort": ["6"], "avif-speed": ["6"], "avif-subsample": ["off"], "jxl-effort": ["7"],
  ]

  @Test func everySettingHasASample() {
    #expect(Set(Self.samples.keys) == Set(ServeTable.settings.map(\.name)))
  }

  /// A setting that changes nothing would be a lie.
  @Test func everySettingChangesTheSettings() throws {
    for setting in ServeTable.settings {
      var settings = ServeSettings()
      #expect(setting.set(&settings, try #require(Self.samples[setting.name])) == nil, "\(setting.name)")
      #expect(settings != ServeSettings(), "\(setting.name)")
    }
  }

  @Test func noTwoSettingsAreTheSame() throws {
    var seen: [ServeSettings: String] = [:]
    for setting in ServeTable.settings {
      var settings = ServeSettings()
      _ = setting.set(&settings, try #require(Self.samples[setting.name]))
      let other = seen.updateValue(setting.name, forKey: settings)
      #expect(other == nil, "\(setting.name) does what \(other ?? "") does")
    }
  }

  @Test func theDefaultInTheHelpIsTheDefault() {
    for setting in ServeTable.settings {
      guard let text = setting.defaultText else { continue }
      var settings = ServeSettings()
      #expect(setting.set(&settings, [text]) == nil && settings == ServeSettings(), "\(setting.name)")
      #expect(setting.description.help.hasSuffix("The default is \(text)."))
    }
  }

  /// Options, variables and lines of the file mean the same.
  @Test func allPlacesMeanTheSame() throws {
    for setting in ServeTable.settings {
      let values = try #require(Self.samples[setting.name])
      var bench = ServeBench(
        files: ["keys": "c0ffee c0de\n", "presets": "a=q:1", "secret": "s", "sources": "[s3://b]"],
        folders: ["pictures"])
      var base: [String] = []
      // Each setting gets what makes it valid.
      let needsKey = !["key", "salt", "key-file", "unsafe", "urls"].contains(setting.name)
      if needsKey { base.append("--unsafe") }
      if setting.name == "key" { base += ["--salt", "-"] }
      if setting.name == "salt" { base += ["--key", "c0de"] }
      if setting.name == "urls" { base += ["--key", "text", "--local", "pictures"] }
      if setting.name == "only-presets" { base += ["--preset", "a=q:1"] }

      bench.words =
        base + values.flatMap { setting.option.takesValue ? [setting.option.spelling, $0] : [setting.option.spelling] }
      let byOption = try bench.settings()
      bench.words = base
      bench.environment = [setting.variable: values.joined(separator: " ")]
      #expect(try bench.settings() == byOption, "\(setting.variable)")
      bench.environment = ["EASEL_CONFIG": "file"]
      bench.files["file"] = values.map { "\(setting.name) = \($0)\n" }.joined()
      #expect(try bench.settings() == byOption, "\(setting.name) in the file")
    }
  }

  /// The rule that the guide and the manual state, and that SIGHUP follows.
  @Test func aNewValueIsInForceOrNamedAsAwaitingARestart() throws {
    var seen: Set<String> = []
    for setting in ServeTable.settings {
      let values = try #require(Self.samples[setting.name])
      let base = setting.name == "only-presets" ? "unsafe = true\npreset = a=q:1\n" : "unsafe = true\n"
      var bench = ServeBench(
        words: ["--config", "easel.conf"],
        files: ["easel.conf": base, "keys": "c0ffee c0de\n", "presets": "a=q:1", "secret": "s", "sources": "[s3://b]"],
        folders: ["pictures"])
      let present = try bench.read()
      bench.files["easel.conf"] = base + values.map { "\(setting.name) = \($0)\n" }.joined()
      // Those that decide about signatures make no sense beside the rest of the file.
      guard let next = try? bench.read(replacing: present) else { continue }
      seen.insert(setting.name)
      switch setting.change {
      case .live: #expect(next.settings != present.settings && next.awaitingRestart.isEmpty, "\(setting.name)")
      case .restart:
        #expect(next.settings == present.settings && next.awaitingRestart == [setting.name], "\(setting.name)")
        #expect(try bench.read().settings != present.settings, "\(setting.name)")
        // It waits as long as the server runs, and not if it comes back meanwhile.
        #expect(try bench.read(replacing: next).awaitingRestart == [setting.name])
        bench.files["easel.conf"] = base
        #expect(try bench.read(replacing: next).awaitingRestart.isEmpty)
      }
    }
    #expect(Set(ServeTable.settings.map(\.name)).subtracting(seen) == ["key", "salt", "key-file", "unsafe"])
    #expect(
      ServeTable.restarting == [
        "listen", "metrics", "cache", "memory-limit", "shared", "shared-timeout", "purge-lease", "when-cut-off",
        "threads", "traces",
      ])
    for name in ServeTable.restarting { #expect(ServeTable.details.contains { $0.contains("\(name)") }) }
  }

  @Test func aValueThatWaitsForARestartMustBeRight() throws {
    var bench = ServeBench.file("threads = 2")
    let present = try bench.read()
    bench.files["easel.conf"] = "threads = 200"
    #expect(throws: ServeMistakes.self) { try bench.read(replacing: present) }
  }

  /// Buffers and the sandbox are bound when the server starts.
  @Test func theLimitOfMemoryIsThatOfTheStart() throws {
    var bench = ServeBench.file("workers = 2")
    bench.memoryLimit = 1_000_000_000
    let present = try bench.read()
    bench.memoryLimit = 500_000_000
    #expect(try bench.read(replacing: present).settings == present.settings)
    bench.files["easel.conf"] = "workers = 2\nmemory-size = 1M"
    let next = try bench.read(replacing: present)
    #expect(next.memory.limit == 1_000_000_000 && next.settings.memoryBytes == 1_000_000)
    #expect(try #require(next.memory.workBytes) > #require(present.memory.workBytes))
  }

  @Test func namesAndHelpAreInOrder() {
    let options = ServeBench.description.allOptions
    #expect(Set(options.map(\.name)).count == options.count)
    #expect(Set(ServeTable.settings.map(\.variable)).count == ServeTable.settings.count)
    for option in options {
      #expect(option.help.hasSuffix(".") && option.help.first?.isUppercase == true, "\(option.spelling)")
      #expect(option.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }, "\(option.name)")
    }
    #expect(ServeTable.settings.first { $0.name == "cache-size" }?.variable == "EASEL_CACHE_SIZE")
  }

  @Test func helpAndManualFollowTheTable() {
    let help = HelpText.command(ServeBench.description)
    let manual = ManualPage.text(for: [ServeBench.description]).replacingOccurrences("\\-", "-")
    for setting in ServeTable.settings {
      #expect(help.contains(HelpText.spelling(setting.option)), "\(setting.name)")
      #expect(manual.contains(".B \(HelpText.spelling(setting.option))\n"), "\(setting.name)")
    }
    #expect(help.contains("--listen ADDRESS") && help.contains("May be repeated."))
  }

  /// Values that no setting may take.
  @Test(arguments: [
    (
      "listen",
      [
        "", "8080", "host", "host:", "host:65536", "host:-1", "host:080000", "::1:80", "[::1]", "[1.2.3.4]:80",
        "http://127.0.0.1:80", "a b:80", "unix:", "/" + String(repeating: "x", count: 108),
      ]
    ),
    ("metrics", ["systemd", "9100"]), ("path-prefix", ["pictures", "/", "/a//b", "/a?b", "/a b", "/%41"]),
    ("trusted-proxy", ["", "10.0.0.0/33", "::1/129", "host", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "10/8"]),
    ("access-control-allow-origin", ["", "example.com", "https://a\r\nX: y"]),
    ("signature-size", ["7", "33", "x", ""]),
    ("urls", ["imagor", "Imgproxy", "", "a=iiif", "/a?=iiif", "/a=b=iiif", "=iiif"]),
    ("public-origin", ["", "host", "ftp://h", "https://", "https://h/path"]),
    ("allowed-widths", ["", "0", "320,", "320,320", "a"]), ("allowed-qualities", ["101", "0"]),
    ("allow-source", ["", "example.com", "ftp://h", "https://", "https://a b"]),
    ("max-source-bytes", ["0", "-1", "1.5M", "99999999999G"]), ("max-source-pixels", ["0", "2000000M"]),
    ("preset", ["", "a", "=q:1", "a=", "a b=q:1", "a/b=q:1"]), ("allowed-options", ["", "w,,h", "w,w", "w h"]),
    ("quality", ["-1", "101", "1.5", "x", "nan", "0x10"]),
    ("fidelity", ["", "1", "Fast", "slow"]), ("jpeg-effort", ["0", "4"]), ("webp-effort", ["7", "-1"]),
    ("webp-compression", ["", "best"]), ("avif-speed", ["11"]), ("avif-subsample", ["420"]),
    ("jxl-effort", ["0", "10"]),
    ("format-quality", ["", "webp", "webp:101", "xyz:1", "webp:1,webp:2", "webp:1,"]),
    ("formats", ["", "xyz", "webp,webp", "webp,", "none,webp"]), ("max-result-side", ["0", "65536"]),
    ("fallback-status", ["199", "600"]), ("ttl", ["-1", "1w", "x", "1e9"]), ("workers", ["0", "1025", "two"]),
    ("request-timeout", ["0"]), ("decode-time", ["0", "-1", "x"]),
    ("patience", ["0"]),
    ("client-header", ["", "X Client", "X-Client:", "\u{e9}", String(repeating: "x", count: 101)]),
    ("connections", ["0"]), ("log", ["xml", ""]),
    ("unsafe", ["", "2", "maybe"]), ("key", [""]), ("local", [""]),
  ])
  func valuesThatAreNotAllowed(_ name: String, _ values: [String]) throws {
    let setting = try #require(ServeTable.settings.first { $0.name == name })
    for value in values {
      var settings = ServeSettings()
      #expect(setting.set(&settings, [value]) == value, "\(name) takes '\(value)'")
    }
  }
}

extension String {
  fileprivate func replacingOccurrences(_ old: String, _ new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
