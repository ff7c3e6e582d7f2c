import Easel
import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselCLI
@testable import EaselService

struct ServeConfigurationTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"

  // MARK: Precedence

  @Test func anOptionComesBeforeAVariableAndAVariableBeforeTheFile() throws {
    var bench = ServeBench.file("quality = 10\nttl = 10\nworkers = 1\nlog = off\n")
    bench.words += ["--quality", "30"]
    bench.environment = ["EASEL_QUALITY": "20", "EASEL_TTL": "20"]
    let settings = try bench.settings()
    #expect(settings.quality == 0.3 && settings.timeToLive == .seconds(20) && settings.workers == 1)
    #expect(settings.log == .off && settings.threads == ServeSettings().threads)
  }

  @Test func theFileOfTheOptionComesBeforeThatOfTheVariable() throws {
    var bench = ServeBench.file("quality = 10")
    bench.environment = ["EASEL_CONFIG": "other"]
    bench.files["other"] = "quality = 20"
    #expect(try bench.settings().quality == 0.1)
    bench.words = ["--unsafe"]
    #expect(try bench.settings().quality == 0.2)
  }

  @Test func theValuesOfOnePlaceReplaceThoseOfTheNext() throws {
    var bench = ServeBench.file("allow-source = https://a\nallow-source = https://b\n")
    #expect(try bench.settings().allowedSources == ["https://a", "https://b"])
    bench.environment = ["EASEL_ALLOW_SOURCE": " https://c\thttps://d \n https://e"]
    #expect(try bench.settings().allowedSources == ["https://c", "https://d", "https://e"])
    bench.words += ["--allow-source", "https://f"]
    #expect(try bench.settings().allowedSources == ["https://f"])
  }

  @Test func aVariableCanSwitchOffWhatTheFileSwitchesOn() throws {
    var bench = ServeBench.file("client-hints = yes\n")
    #expect(try bench.settings().usesClientHints)
    bench.environment = ["EASEL_CLIENT_HINTS": "off"]
    #expect(try !bench.settings().usesClientHints)
  }

  @Test func withoutAnythingTheDefaultsHold() throws {
    var expected = ServeSettings()
    expected.isUnsafe = true
    #expect(try ServeBench.unsafe().settings() == expected)
  }

  // MARK: The file

  @Test func commentsBlanksAndLineEndsDoNotMatter() throws {
    let settings = try ServeBench.file(
      "\u{FEFF}# A comment\r\n\r\n  quality=70  \r\n\t# another = comment\n  allow-source  =  https://h/a#b=c\nttl = 5"
    ).settings()
    #expect(settings.quality == 0.7 && settings.allowedSources == ["https://h/a#b=c"])
    #expect(settings.timeToLive == .seconds(5))
  }

  @Test func mistakesNameTheirPlaceTheValueAndWhatIsAllowed() {
    #expect(
      ServeBench.unsafe("--quality", "101").mistakes()
        == ["--quality needs a number from 0 to 1, or from 2 to 100, not '101'."])
    var bench = ServeBench.unsafe()
    bench.environment = ["EASEL_WORKERS": "many"]
    #expect(bench.mistakes() == ["EASEL_WORKERS needs a whole number from 1 to 1024, not 'many'."])
    #expect(
      ServeBench.file("# x\n\nurls = imagor").mistakes()
        == ["easel.conf, line 3: urls needs \(ServedURLs.expectation), not 'imagor'."])
    #expect(
      ServeBench.file("allow-source = https://a\n\nallow-source = b").mistakes()
        == [
          "easel.conf, line 3: allow-source needs a pattern such as https://*.example.com/pictures, not 'b'."
        ])
    #expect(
      ServeBench.file("client-hints = maybe").mistakes()
        == ["easel.conf, line 1: client-hints needs true or false, not 'maybe'."])
  }

  @Test func typingErrorsAreGuessed() {
    #expect(
      ServeBench.file("cache_size = 2G").mistakes()
        == ["easel.conf, line 1: there is no setting 'cache_size'. Did you mean cache-size?"])
    #expect(
      ServeBench.file("xyzzy = 1").mistakes() == ["easel.conf, line 1: there is no setting 'xyzzy'."])
    #expect(
      ServeBench.file("check = true").mistakes()
        == ["easel.conf, line 1: check can only be given on the command line."])
    #expect(throws: UsageError("serve has no option --cache-sise. Did you mean --cache-size?")) {
      try ServeBench.unsafe("--cache-sise", "1").read()
    }
  }

  @Test func secretsThatEveryUserCanReadAreMentionedOnce() throws {
    let files = [
      "keys": "\(Self.key) \(Self.salt)", "secret": "s", "easel.conf": "key = \(Self.key)\nsalt = -\n",
      "plain": "ttl = 5",
    ]
    func warnings(_ words: [String], _ openFiles: Set<String>) throws -> [String] {
      try ServeBench(words: words, files: files, openFiles: openFiles).read().warnings
        .filter { $0.contains("Every user") }
    }
    let words = ["--key-file", "keys", "--playground", "--playground-secret-file", "secret"]
    #expect(try warnings(words, []).isEmpty)
    #expect(
      try warnings(words, ["keys"])
        == ["Every user of this machine can read the secrets in keys. Forbid it with chmod o-r."])
    #expect(try warnings(words, ["keys", "secret", "easel.conf"]).count == 2)
    #expect(try warnings(["--config", "easel.conf"], ["easel.conf"]).count == 1)
    // A file of settings without secrets is for all to read.
    #expect(try warnings(["--unsafe", "--config", "plain"], ["plain"]).isEmpty)
  }

  @Test func anUnknownVariableIsOnlyMentioned() throws {
    var bench = ServeBench.unsafe()
    bench.environment = ["EASEL_CACHE_SISE": "1", "EASEL_SOMETHING_ELSE_ENTIRELY": "1", "EASELX": "1", "CACHE": "1"]
    #expect(
      try bench.read().warnings
        == ["The variable EASEL_CACHE_SISE means nothing to the server. Did you mean EASEL_CACHE_SIZE?"])
  }

  @Test func aSettingThatMayNotBeRepeatedStandsOnce() {
    #expect(
      ServeBench.file("quality = 1\nttl = 5\nquality = 70").mistakes()
        == ["easel.conf: quality stands in the lines 1, 3, but may be given only once."])
  }

  @Test func allMistakesAreToldAtOnce() {
    let bench = ServeBench(
      words: ["--config", "easel.conf", "--quality", "x"], environment: ["EASEL_TTL": "x"],
      files: ["easel.conf": "nonsense\nlog = xml\nxyzzy = 1"])
    #expect(bench.mistakes().count == 6)
  }

  @Test func aLineThatIsNoSettingIsNotShown() {
    let mistakes = ServeBench.file("key 943b421c9eb07c830af8").mistakes()
    #expect(mistakes == ["easel.conf, line 1: the line is no setting. Write it as key = value."])
  }

  @Test func aFileThatCannotBeReadIsAMistake() {
    #expect(
      ServeBench.unsafe("--config", "nowhere").mistakes() == ["nowhere cannot be read: No such file or directory."])
    #expect(ServeBench.unsafe("--config", "").mistakes() == ["--config needs the name of a file."])
  }

  @Test func anEmptyVariableCountsAsNotSet() throws {
    var bench = ServeBench.file("quality = 70")
    bench.environment = ["EASEL_QUALITY": "", "EASEL_KEY": "", "EASEL_WORKERS": ""]
    #expect(try bench.settings().quality == 0.7 && bench.settings().workers == nil)
    bench.words = ["--unsafe"]
    bench.environment = ["EASEL_CONFIG": ""]
    #expect(bench.mistakes().isEmpty)
  }

  @Test func hostileValuesCannotControlTheTerminal() {
    let mistakes = ServeBench.file("quality = \u{1B}[2J\u{202E}x\n\u{7}bell = 1").mistakes()
    #expect(mistakes.count == 2)
    for mistake in mistakes {
      #expect(mistake.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E && $0.value != 127 })
    }
    let long = ServeBench.unsafe("--quality", String(repeating: "9", count: 100_000)).mistakes()
    #expect(long.count == 1 && long[0].utf8.count < 400)
  }

  /// Whatever a file holds, it gives settings or mistakes.
  @Test(arguments: 0..<6)
  func noFileCrashes(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let pieces =
      ServeTable.settings.map(\.name) + ["=", " = ", "\n", "\r\n", "#", "1", "-", "/", ":", ",", "é", "\u{0}", "true"]
    for _ in 0..<25 {
      let text = (0..<Int.random(in: 0...60, using: &random))
        .compactMap { _ in pieces.randomElement(using: &random) }.joined()
      let bench = ServeBench.file(text)
      if let settings = try? bench.settings() {
        #expect(settings.isUnsafe)
      } else {
        #expect(!bench.mistakes().isEmpty)
      }
    }
  }

  // MARK: Keys

  @Test func keysAndSaltsGoTogether() throws {
    let settings = try ServeBench(words: [
      "--key", Self.key, "--salt", Self.salt, "--key", "C0FFEE", "--salt", "-",
    ]).settings()
    #expect(settings.keys.count == 2)
    #expect(
      settings.keys[0].key.count == 32 && settings.keys[0].key.first == 0x94 && settings.keys[0].salt.last == 0xC5)
    #expect(settings.keys[1] == SigningKey(key: [0xC0, 0xFF, 0xEE], salt: []))
  }

  @Test func keysMayComeFromAFile() throws {
    var bench = ServeBench(words: ["--key-file", "keys"])
    bench.files["keys"] = "# the new one\n\(Self.key)\t\(Self.salt)\r\n\nc0ffee -\n"
    let settings = try bench.settings()
    #expect(settings.keys.count == 2 && settings.keys[1].salt.isEmpty)
    bench.words += ["--key", "01", "--salt", "02"]
    #expect(try bench.settings().keys.map(\.key.count) == [1, 32, 3])
  }

  @Test func thumborsKeysAreTexts() throws {
    var bench = ServeBench(words: ["--urls", "thumbor", "--key", "my secret", "--key-file", "keys"])
    bench.files["keys"] = "another\n"
    #expect(try bench.settings().keys.map(\.key) == [Array("my secret".utf8), Array("another".utf8)])
    bench.words += ["--salt", "c0de"]
    #expect(bench.mistakes() == ["The signatures of thumbor's URLs have no salt. Leave salt out."])
  }

  @Test func mistakesInKeysDoNotShowThem() {
    func mistakes(_ words: String..., file: String = "") -> [String] {
      var bench = ServeBench(words: words)
      bench.files["keys"] = file
      return bench.mistakes()
    }
    let all = [
      mistakes("--key", "SECRETxyz", "--salt", "c0de"), mistakes("--key", "c0de", "--salt", "SECRETxyz"),
      mistakes("--key", "c0d", "--salt", "c0de"), mistakes("--key", "c0de"), mistakes("--key-file", "keys"),
      mistakes("--key-file", "keys", file: "SECRET SECRET"), mistakes("--key-file", "keys", file: "SECRET"),
      mistakes("--key-file", "keys", file: "c0 de SECRET"),
      mistakes("--key", "c0", "--salt", "-", "--key", "C0", "--salt", "-"),
      mistakes("--key", "", "--salt", "-"), mistakes("--key-file", "missing"),
    ]
    for mistakes in all {
      #expect(!mistakes.isEmpty)
      #expect(mistakes.allSatisfy { !$0.contains("SECRET") }, "\(mistakes)")
    }
    #expect(all[0] == ["Key 1: the key is not hexadecimal. Make one with: openssl rand -hex 32"])
    #expect(all[5][0].hasPrefix("keys, line 1: "))
  }

  @Test func aKeyOfSourcesHasOneOfThreeLengths() {
    let rule = "source-key must have 32, 48 or 64 hexadecimal digits. Make one with: openssl rand -hex 32"
    for wrong in ["SECRET", "c0de", String(repeating: "x", count: 32), String(repeating: "0", count: 66)] {
      #expect(ServeBench.unsafe("--source-key", wrong).mistakes() == [rule])
    }
    for count in [32, 48, 64] {
      #expect(ServeBench.unsafe("--source-key", String(repeating: "0", count: count)).mistakes().isEmpty)
    }
    let thumbor = ServeBench.unsafe("--urls", "thumbor", "--source-key", String(repeating: "0", count: 32))
    #expect(thumbor.mistakes().first?.hasPrefix("Sources in URLs of thumbor") == true)
  }

  @Test func theServerIsSignedUnlessItIsUnsafe() {
    #expect(ServeBench().mistakes().first?.hasPrefix("There is no key") == true)
    #expect(ServeBench.unsafe("--key", "c0", "--salt", "-").mistakes().first?.hasPrefix("There are keys, but") == true)
    #expect(ServeBench.unsafe().mistakes().isEmpty)
  }

  @Test func secretsAreNeverPrinted() throws {
    var bench = ServeBench(words: ["--key", Self.key, "--playground", "--playground-secret", "opensesame"])
    bench.environment = ["EASEL_SALT": Self.salt]
    let configuration = try bench.read()
    var dumped = ""
    dump(configuration.settings, to: &dumped)
    for text in [
      dumped, "\(configuration.settings)", String(reflecting: configuration.settings),
      ServeReport.text(of: configuration),
      configuration.warnings.joined(),
    ] {
      for secret in [Self.key, Self.salt, "opensesame", "148, 59", "0x94"] { #expect(!text.contains(secret)) }
    }
    #expect(configuration.warnings.contains { $0.hasPrefix("Others on this machine can see") })
  }

  // MARK: Presets and the playground

  @Test func presetsComeFromOptionsAndAFile() throws {
    var bench = ServeBench.unsafe("--preset", "small=rs:fit:320:320/q:70", "--presets-file", "presets")
    bench.files["presets"] = "# sizes\nlarge = rs:fit:1920:0\n\ndefault=el:0=x\n"
    let presets = try bench.settings().presets
    #expect(presets.map(\.name) == ["small", "large", "default"])
    #expect(presets.map(\.options) == ["rs:fit:320:320/q:70", "rs:fit:1920:0", "el:0=x"])
    bench.files["presets"] = "small=q:1\nnonsense"
    #expect(
      bench.mistakes() == [
        "presets, line 2 needs a name and options such as small=rs:fit:320:320/q:70, not 'nonsense'.",
        "The preset small is given more than once.",
      ])
  }

  /// URLs of thumbor are not read by these rules, so a server that took them would be open.
  @Test(arguments: [["--preset", "a=q:1"], ["--preset", "a=q:1", "--only-presets"], ["--allowed-options", "w"]])
  func rulesForURLsOfImgproxyDoNotBindThoseOfThumbor(_ words: [String]) {
    let mistakes = ServeBench(words: ["--unsafe", "--urls", "thumbor"] + words).mistakes()
    #expect(mistakes.count == 1 && mistakes[0].contains("would not bind"))
    #expect(ServeBench(words: ["--unsafe"] + words).mistakes().isEmpty)
  }

  @Test func onlyPresetsNeedsPresets() {
    #expect(ServeBench.unsafe("--only-presets").mistakes().count == 1)
    #expect(ServeBench.unsafe("--only-presets", "--preset", "a=q:1").mistakes().isEmpty)
    #expect(
      ServeBench.unsafe("--only-presets", "--preset", "a=q:1", "--allowed-options", "w").mistakes().count == 1)
  }

  @Test func thePlaygroundIsNotForEverybody() throws {
    #expect(ServeBench.unsafe("--playground").mistakes().isEmpty, "The default address is this machine's own.")
    for address in [":8080", "0.0.0.0:8080", "example.com:80", "[::]:80", "systemd"] {
      #expect(ServeBench.unsafe("--playground", "--listen", address).mistakes().count == 1, "\(address)")
      #expect(
        ServeBench.unsafe("--playground", "--listen", address, "--playground-secret", "s").mistakes().isEmpty)
    }
    for address in ["127.0.0.1:80", "localhost:80", "[::1]:80", "127.9.9.9:0", "/run/easel.sock"] {
      #expect(ServeBench.unsafe("--playground", "--listen", address).mistakes().isEmpty, "\(address)")
    }
    #expect(
      ServeBench.unsafe("--playground", "--listen", "127.0.0.1:80", "--listen", ":81").mistakes().count == 1)
  }

  @Test func theSecretOfThePlaygroundMayComeFromAFile() throws {
    var bench = ServeBench.unsafe("--playground", "--listen", ":80", "--playground-secret-file", "secret")
    bench.files["secret"] = " opensesame \nmore\n"
    #expect(try bench.settings().playgroundSecret == Secret(text: "opensesame"))
    bench.files["secret"] = "\nopensesame"
    #expect(bench.mistakes().contains { $0.hasPrefix("The first line of secret is empty") })
    bench.words += ["--playground-secret", "other"]
    #expect(
      bench.mistakes() == ["The secret of the playground is given twice. Leave playground-secret or its file out."])
  }

  // MARK: What belongs together

  @Test func addressesDiffer() {
    #expect(
      ServeBench.unsafe("--listen", ":80", "--listen", ":80").mistakes() == ["listen names the same address twice."])
    #expect(ServeBench.unsafe("--metrics", "127.0.0.1:8080").mistakes().count == 1)
    #expect(ServeBench.unsafe("--listen", ":0", "--metrics", ":0").mistakes().isEmpty, "The system chooses two ports.")
  }

  @Test func filesMustBeThere() {
    #expect(
      ServeBench.unsafe("--local", "pictures").mistakes()
        == ["local names pictures, which is no directory that can be read."])
    #expect(
      ServeBench.unsafe("--fallback-image", "x.png", "--watermark-image", "https://h/x.png").mistakes()
        == ["fallback-image names x.png, which is no file that can be read."])
    var bench = ServeBench.unsafe("--local", "pictures", "--fallback-image", "x.png")
    bench.folders = ["pictures"]
    bench.files["x.png"] = ""
    #expect(bench.mistakes().isEmpty)
  }

  @Test func numbersMustAgree() {
    #expect(ServeBench.unsafe("--workers", "2", "--avif-workers", "3").mistakes().count == 1)
    #expect(ServeBench.unsafe("--connections", "10", "--connections-per-address", "11").mistakes().count == 1)
  }

  @Test func whatHasNoEffectIsMentioned() throws {
    func warnings(_ words: String...) throws -> Int {
      try ServeBench(words: ["--unsafe"] + words).read().warnings.count
    }
    #expect(try warnings("--cache-size", "1G") == 1 && warnings("--cache-size", "1G", "--cache", "d") == 0)
    #expect(try warnings("--fallback-ttl", "1") == 1 && warnings("--allow-private") == 1)
    #expect(try warnings() == 0)
  }

  @Test func admissionFollowsTheSettings() throws {
    let admission = try ServeBench.unsafe(
      "--workers", "6", "--avif-workers", "2", "--queue-length", "7", "--patience", "3"
    ).settings().admission
    #expect(admission.places == 6 && admission.avifPlaces == 2 && admission.queueLength == 7)
    #expect(admission.patience == .seconds(3))
    #expect(try ServeBench.unsafe().settings().admission.places == CPUBudget.processors)
    #expect(try ServeBench.unsafe().settings().admission.patience == AdmissionSettings().patience)
  }

  @Test func theFormerNameOfPatienceStillCounts() throws {
    func read(_ words: String...) throws -> ServeConfiguration { try ServeBench(words: ["--unsafe"] + words).read() }
    let former = try read("--queue-time", "20")
    #expect(former.settings.patience == .seconds(20))
    #expect(former.warnings == ["queue-time is called patience now."])
    #expect(try read("--queue-time", "20", "--patience", "3").settings.patience == .seconds(3))
  }
}

extension ServeSettings {
  fileprivate var threads: Int { listener.threads }
}
