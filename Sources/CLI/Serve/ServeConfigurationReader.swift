import Easel
import EaselService
import EaselSupport

/// Reads the settings, and collects the mistakes.
struct ServeConfigurationReader {
  let arguments: Arguments
  let system: ServeSystem
  /// The configuration of the running server; nil at its start.
  let present: ServeConfiguration?
  var settings = ServeSettings()
  var memory = MemoryPlan(MemoryPlan.Wishes())
  var given: [ServeConfiguration.Given] = []
  var mistakes: [String] = []
  var warnings: [String] = []
  var awaitingRestart: [String] = []

  init(_ arguments: Arguments, _ system: ServeSystem, _ present: ServeConfiguration?) {
    self.arguments = arguments
    self.system = system
    self.present = present
  }

  mutating func read() {
    let file = readFile()
    checkVariables()
    if let file { checkNames(in: file) }
    for setting in ServeTable.settings { take(setting, file) }
    readKeys()
    readSourceKey()
    readPresets()
    readPlaygroundSecret()
    readShared()
    readPatience()
    readSources()
    checkTogether()
    planMemory()
  }

  // MARK: Places

  private mutating func readFile() -> ConfigurationFile? {
    let option = arguments.options.last { $0.name == ServeTable.config.description.name }?.value
    guard let path = option ?? variable(ServeTable.configVariable) else { return nil }
    guard !path.isEmpty else {
      mistakes.append("--config needs the name of a file.")
      return nil
    }
    return text(of: path).map { ConfigurationFile($0, path: path, mistakes: &mistakes) }
  }

  /// The value of a variable; an empty one counts as not set, as is usual in scripts that start servers.
  private func variable(_ name: String) -> String? { system.environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  mutating func text(of path: String) -> String? {
    switch system.text(path) {
    case .success(let text): return text
    case .failure(let mistake):
      mistakes.append(mistake.message)
      return nil
    }
  }

  private mutating func checkNames(in file: ConfigurationFile) {
    let names = ServeTable.settings.map(\.name)
    for line in file.lines where !names.contains(line.name) {
      let place = ConfigurationFile.place(file.path, line.number)
      if ["config", "check"].contains(line.name) {
        mistakes.append("\(place): \(line.name) can only be given on the command line.")
        continue
      }
      let hint = NearestName.of(line.name, among: names).map { " Did you mean \($0)?" } ?? ""
      mistakes.append("\(place): there is no setting '\(printable(line.name))'.\(hint)")
    }
  }

  /// Other programs may have variables of this prefix, so an unknown one is only mentioned.
  private mutating func checkVariables() {
    let known = ServeTable.settings.map(\.variable) + [ServeTable.configVariable]
    for name in system.environment.keys.sorted() where name.hasPrefix("EASEL_") && !known.contains(name) {
      guard let nearest = NearestName.of(name, among: known) else { continue }
      warnings.append("The variable \(printable(name)) means nothing to the server. Did you mean \(nearest)?")
    }
  }

  private mutating func take(_ setting: ServeSetting, _ file: ConfigurationFile?) {
    let options = arguments.options.filter { $0.name == setting.name }.map(\.value)
    let lines = file?.lines.filter { $0.name == setting.name } ?? []
    let isFlag = !setting.option.takesValue
    let (texts, origin): ([String], ServeConfiguration.Origin)
    if !options.isEmpty {
      (texts, origin) = (isFlag ? ["true"] : options, .option)
    } else if let value = variable(setting.variable) {
      let values = setting.option.mayRepeat ? value.split { " \t\n".contains($0) }.map(String.init) : [value]
      (texts, origin) = (values, .variable)
    } else if !lines.isEmpty {
      (texts, origin) = (lines.map(\.value), .file(path: file?.path ?? "", lines: lines.map(\.number)))
    } else {
      (texts, origin) = ([], .nowhere)
    }
    let inForce = inForce(ServeConfiguration.Given(setting: setting, origin: origin, texts: texts))
    given.append(inForce)
    if lines.count > 1, !setting.option.mayRepeat, let file {
      let numbers = lines.map { String($0.number) }.joined(separator: ", ")
      mistakes.append(
        "\(printable(file.path)): \(setting.name) stands in the lines \(numbers), but may be given only once.")
      return
    }
    // A value that waits for a restart must be a right one too.
    var trial = settings
    guard !texts.isEmpty, let wrong = setting.set(&trial, texts) else {
      if !inForce.texts.isEmpty { _ = setting.set(&settings, inForce.texts) }
      return
    }
    let position = texts.firstIndex(of: wrong) ?? 0
    let place =
      switch origin {
      case .option: setting.option.spelling
      case .variable: setting.variable
      case .file(let path, let lines):
        "\(ConfigurationFile.place(path, lines[min(position, lines.count - 1)])): \(setting.name)"
      case .nowhere: setting.name
      }
    let value = setting.isSecret ? "what was given (it is not shown)" : "'\(setting.shown(String(wrong.prefix(200))))'"
    mistakes.append("\(place) needs \(setting.option.expectation), not \(value).")
  }

  /// The given value, or the present one of a setting that needs a restart to change.
  private mutating func inForce(_ new: ServeConfiguration.Given) -> ServeConfiguration.Given {
    guard new.setting.change == .restart, let old = present?.given.first(where: { $0.setting.name == new.setting.name })
    else { return new }
    if !new.setting.means(new.texts, sameAs: old.texts) { awaitingRestart.append(new.setting.name) }
    return old
  }

  // MARK: Files named by settings

  private mutating func readKeys() {
    let forms = settings.signing
    var pairs: [(key: String, salt: String, place: String, form: URLSigner.Grammar)] = []
    let (keys, salts) = (settings.given.keys.map(\.text), settings.given.salts.map(\.text))
    guard forms.count < 2 || keys.isEmpty && salts.isEmpty else {
      mistakes.append(
        "Keys of imgproxy's URLs and of thumbor's have different forms. Give them in a key-file: lines with a key and its "
          + "salt are for imgproxy, and lines with one word for thumbor.")
      return
    }
    switch forms.first ?? .imgproxy {
    case .imgproxy:
      guard keys.count == salts.count else {
        mistakes.append(
          "There are \(keys.count) keys and \(salts.count) salts. Give one salt for each key, in the same order; - stands "
            + "for an empty one.")
        return
      }
      for (index, (key, salt)) in zip(keys, salts).enumerated() {
        pairs.append((key, salt, "Key \(index + 1)", .imgproxy))
      }
    case .thumbor:
      guard salts.isEmpty else {
        mistakes.append("The signatures of thumbor's URLs have no salt. Leave salt out.")
        return
      }
      for (index, key) in keys.enumerated() { pairs.append((key, "-", "Key \(index + 1)", .thumbor)) }
    }
    if let path = settings.given.keyFile, let text = text(of: path) {
      let lines = SettingLine.lines(of: text)
      if lines.isEmpty { mistakes.append("\(printable(path)) has no key.") }
      for (number, line) in lines {
        let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
        let place = ConfigurationFile.place(path, number)
        switch words.count {
        case 1 where forms.contains(.thumbor): pairs.append((words[0], "-", place, .thumbor))
        case 2 where forms != [.thumbor]: pairs.append((words[0], words[1], place, .imgproxy))
        default:
          mistakes.append(
            "\(place): "
              + (forms == [.thumbor]
                ? "write one key without blanks." : "write a key, a blank and its salt, or - for no salt."))
        }
      }
    }
    for pair in pairs { readPair(pair.key, pair.salt, pair.place, pair.form) }
    if Set(settings.keys).count != settings.keys.count { mistakes.append("The same key and salt are given twice.") }
  }

  private mutating func readPair(_ key: String, _ salt: String, _ place: String, _ form: URLSigner.Grammar) {
    switch form {
    case .thumbor: settings.keys.append(SigningKey(key: Array(key.utf8), salt: [], grammar: .thumbor))
    case .imgproxy:
      guard let keyBytes = ServeReading.bytes(hexadecimal: key), !keyBytes.isEmpty else {
        mistakes.append("\(place): the key is not hexadecimal. Make one with: openssl rand -hex 32")
        return
      }
      guard let saltBytes = ServeReading.bytes(hexadecimal: salt == "-" ? "" : salt) else {
        mistakes.append("\(place): the salt is not hexadecimal. Make one with: openssl rand -hex 32")
        return
      }
      settings.keys.append(SigningKey(key: keyBytes, salt: saltBytes))
    }
  }

  private mutating func readSourceKey() {
    guard let text = settings.given.sourceKey?.text else { return }
    guard let key = ServeReading.bytes(hexadecimal: text), [16, 24, 32].contains(key.count) else {
      mistakes.append("source-key must have 32, 48 or 64 hexadecimal digits. Make one with: openssl rand -hex 32")
      return
    }
    guard settings.urls.contains(where: { $0.form == .imgproxy }) else {
      let form = settings.urls.first?.form ?? .thumbor
      mistakes.append("Sources in URLs of \(form.rawValue) are not encrypted. Leave source-key out.")
      return
    }
    settings.sourceKey = SigningKey(key: key, salt: [])
  }

  private mutating func readPresets() {
    if let path = settings.given.presetsFile, let text = text(of: path) {
      for (number, line) in SettingLine.lines(of: text) {
        guard let preset = ServePreset(line) else {
          let place = ConfigurationFile.place(path, number)
          mistakes.append(
            "\(place) needs a name and options such as small=rs:fit:320:320/q:70, not '\(printable(line))'.")
          continue
        }
        settings.presets.append(preset)
      }
    }
    let groups = Dictionary(grouping: settings.presets, by: \.name).filter { $0.value.count > 1 }
    for name in groups.keys.sorted() { mistakes.append("The preset \(name) is given more than once.") }
  }

  private mutating func readPlaygroundSecret() {
    guard let path = settings.given.playgroundSecretFile else { return }
    guard settings.playgroundSecret == nil else {
      mistakes.append("The secret of the playground is given twice. Leave playground-secret or its file out.")
      return
    }
    guard let text = text(of: path) else { return }
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map { $0.trimmed } ?? ""
    guard !line.isEmpty else {
      mistakes.append("The first line of \(printable(path)) is empty; it must be the secret of the playground.")
      return
    }
    settings.playgroundSecret = Secret(text: line)
  }

  private mutating func readShared() {
    do throws(ImageError) {
      for text in settings.given.shared { settings.shared.append(try SharedAddress(text)) }
      _ = try settings.sharedLayer()
    } catch {
      mistakes.append("shared: \(error.message)" + (error.subject.map { " (\($0))" } ?? ""))
    }
  }

  private mutating func readPatience() {
    guard let former = settings.given.queueTime else { return }
    warnings.append("queue-time is called patience now.")
    if !isGiven("patience") { settings.patience = former }
  }
}
