import Easel
import EaselAzure
import EaselS3
import EaselService
import EaselSupport
import FoundationEssentials

/// Reads the file that describes sources.
extension ServeConfigurationReader {
  mutating func readSources() {
    guard let path = settings.given.sourcesFile, let text = text(of: path) else { return }
    let (sections, unread) = SourceSection.all(in: text)
    mistakes += unread.map { "\(ConfigurationFile.place(path, $0.number)): \(printable($0.message))" }
    for section in sections {
      if let source = source(section, path) { settings.sources.append(source) }
    }
  }

  /// The settings of each kind of place.
  private static func names(_ kind: SourcePlace.Kind) -> [String] {
    switch kind {
    case .http, .https, .dav, .davs:
      ["field", "field-file", "pass", "user-agent", "user", "password-file", "allow-private"]
    case .s3: ["region", "endpoint", "addressing", "credentials-file", "profile", "anonymous"]
    case .gs: ["endpoint", "credentials-file", "profile", "anonymous"]
    case .azure: ["account", "endpoint", "key-file", "sas-file", "anonymous"]
    case .local: ["folder"]
    }
  }

  private static let repeated = ["field", "field-file", "pass"]

  private mutating func source(_ section: SourceSection, _ path: String) -> ServeSource? {
    let count = mistakes.count
    let names = Self.names(section.place.kind)
    for (index, line) in section.lines.enumerated() {
      let place = ConfigurationFile.place(path, line.number)
      guard names.contains(line.name) else {
        mistakes.append(
          "\(place): sources of \(section.place.kind.rawValue) have no setting '\(printable(line.name))', but "
            + names.joined(separator: ", ") + ".")
        continue
      }
      let isAgain = section.lines[..<index].contains { $0.name == line.name }
      if isAgain, !Self.repeated.contains(line.name) { mistakes.append("\(place): \(line.name) is given twice.") }
    }
    var source = ServeSource(section.place)
    let place = ConfigurationFile.place(path, section.number)
    switch section.place.kind {
    case .http, .https, .dav, .davs: readWeb(section, path, &source)
    case .s3, .gs: readBucket(section, place, &source)
    case .azure: readAccount(section, place, &source)
    case .local: readFolder(section, place, &source)
    }
    return mistakes.count == count ? source : nil
  }

  // MARK: The web

  private mutating func readWeb(_ section: SourceSection, _ path: String, _ source: inout ServeSource) {
    for line in section.lines {
      let place = ConfigurationFile.place(path, line.number)
      switch line.name {
      case "field", "field-file":
        guard let colon = line.value.firstIndex(of: ":"),
          let name = Self.fieldName(line.value[..<colon].trimmed)
        else {
          mistakes.append(
            "\(place): \(line.name) needs the name of a field, a colon and its "
              + (line.name == "field" ? "value." : "file."))
          continue
        }
        let value = line.value[line.value.index(after: colon)...].trimmed
        let isFile = line.name == "field-file"
        guard let content = isFile ? firstLine(of: value) : value else { continue }
        guard Self.isFieldValue(content) else {
          mistakes.append("\(place): the value of \(name) has signs that no field may have.")
          continue
        }
        source.fields.append(.init(name: name, value: Secret(text: content), isCredential: isFile))
      case "pass":
        let names = line.value.split(separator: ",").map(\.trimmed)
        guard !names.isEmpty, names.allSatisfy({ Self.fieldName($0) != nil }) else {
          mistakes.append("\(place): pass needs names of fields between commas, such as Cookie or X-Tenant.")
          continue
        }
        source.passed += names
      case "user-agent":
        guard Self.isFieldValue(line.value) else {
          mistakes.append("\(place): user-agent has signs that no field may have.")
          continue
        }
        source.userAgent = line.value
      case "allow-private":
        guard let isOn = truth(line, place) else { continue }
        source.allowsPrivateAddresses = isOn
      default: break
      }
    }
    let place = ConfigurationFile.place(path, section.number)
    switch (section.value("user"), section.value("password-file")) {
    case (nil, nil): break
    case (let user?, let file?):
      guard let password = firstLine(of: file) else { return }
      guard !user.contains(":") else { return mistakes.append("\(place): the name of a user has no colon.") }
      let pair = Data("\(user):\(password)".utf8).base64EncodedString()
      source.fields.append(.init(name: "Authorization", value: Secret(text: "Basic \(pair)"), isCredential: true))
    default: mistakes.append("\(place): user and password-file belong together.")
    }
  }

  /// The name of a field that an operator may decide about; nil for others, which belong to the transfer.
  private static func fieldName(_ text: String) -> String? {
    let name = text.lowercased()
    guard ServeReading.fieldName(text) != nil, !ofTransfers.contains(name), !name.hasPrefix("if-") else { return nil }
    return text
  }

  private static let ofTransfers: Set = [
    "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "range",
    "te",
    "trailer", "transfer-encoding", "upgrade", "via", "x-easel-hop",
  ]

  private static func isFieldValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 9 || (0x20...0x7E).contains($0) || $0 >= 0x80 }
  }

  // MARK: Stores

  private mutating func readBucket(_ section: SourceSection, _ place: String, _ source: inout ServeSource) {
    source.bucket.region = section.value("region")
    source.bucket.endpoint = endpoint(section, place)
    if let text = section.value("addressing") {
      guard let addressing = S3Configuration.Addressing(rawValue: text) else {
        return mistakes.append("\(place): addressing is host or path, not '\(printable(text))'.")
      }
      source.bucket.addressing = addressing
    }
    let profile = section.value("profile")
    let isAnonymous = isAnonymous(section, place)
    if let file = section.value("credentials-file") {
      guard !isAnonymous else {
        return mistakes.append("\(place): anonymous needs no credentials-file. Leave one of both out.")
      }
      guard let text = text(of: file) else { return }
      guard let keys = CredentialsFile.credentials(in: text, profile: profile ?? "default") else {
        return mistakes.append(
          "\(place): \(printable(file)) has no section [\(profile ?? "default")] with aws_access_key_id and "
            + "aws_secret_access_key.")
      }
      source.bucket.credentials = .fixed(keys)
    } else if isAnonymous {
      source.bucket.credentials = .anonymous
    } else if section.place.kind == .gs {
      mistakes.append("\(place): a bucket of Google needs a credentials-file with HMAC keys, or anonymous = true.")
    } else if let profile {
      source.bucket.credentials = .profile(profile)
    }
  }

  private mutating func readAccount(_ section: SourceSection, _ place: String, _ source: inout ServeSource) {
    guard let name = section.value("account"), !name.isEmpty else {
      return mistakes.append("\(place): a container of Azure needs the account to which it belongs.")
    }
    source.account.name = name
    source.account.endpoint = endpoint(section, place)
    switch (section.value("key-file"), section.value("sas-file"), isAnonymous(section, place)) {
    case (let file?, nil, false):
      guard let text = firstLine(of: file) else { return }
      guard let credential = AzureCredential.key(text) else {
        return mistakes.append("\(place): the first line of \(printable(file)) is no key of Azure, which is base64.")
      }
      source.account.credential = credential
    case (nil, let file?, false):
      guard let text = firstLine(of: file) else { return }
      guard let credential = AzureCredential.token(text) else {
        return mistakes.append(
          "\(place): the first line of \(printable(file)) is no shared access signature, which has sig= in it.")
      }
      source.account.credential = credential
    case (nil, nil, true): break
    default: mistakes.append("\(place): give one of key-file, sas-file and anonymous = true.")
    }
  }

  private mutating func readFolder(_ section: SourceSection, _ place: String, _ source: inout ServeSource) {
    guard section.place.name == "local://\(section.place.host)",
      section.place.host.utf8.allSatisfy({ PercentEscapes.isUnreserved($0) }),
      section.place.host == section.place.host.lowercased()
    else {
      return mistakes.append("\(place): a folder has a name in small letters and no path, as in [local://photos].")
    }
    guard let folder = section.value("folder"), system.isFolder(folder) else {
      return mistakes.append(
        "\(place): folder needs a directory that can be read, not '\(printable(section.value("folder") ?? ""))'.")
    }
    source.folder = folder
  }

  // MARK: Values

  private mutating func endpoint(_ section: SourceSection, _ place: String) -> String? {
    guard let text = section.value("endpoint") else { return nil }
    guard ["http://", "https://"].contains(where: text.hasPrefix), let host = URL(string: text)?.host, !host.isEmpty
    else {
      mistakes.append("\(place): endpoint needs an address such as http://minio:9000, not '\(printable(text))'.")
      return nil
    }
    return text
  }

  private mutating func isAnonymous(_ section: SourceSection, _ place: String) -> Bool {
    section.lines.first { $0.name == "anonymous" }.flatMap { truth($0, place) } ?? false
  }

  private mutating func truth(_ line: SettingLine, _ place: String) -> Bool? {
    let truth = ServeReading.truth(line.value)
    if truth == nil { mistakes.append("\(place): \(line.name) is true or false, not '\(printable(line.value))'.") }
    return truth
  }

  private mutating func firstLine(of file: String) -> String? {
    guard let text = text(of: file) else { return nil }
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map { $0.trimmed } ?? ""
    if line.isEmpty { mistakes.append("The first line of \(printable(file)) is empty.") }
    return line.isEmpty ? nil : line
  }
}
