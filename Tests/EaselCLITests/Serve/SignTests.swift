import Easel
import Testing

@testable import EaselCLI

/// `easel sign`, with the keys in places that a test makes up.
struct SignTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
  private static let path = "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg"
  private static let signature = "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"

  private func sign(
    _ words: [String], environment: [String: String] = ["EASEL_KEY": key, "EASEL_SALT": salt],
    files: [String: String] = [:], now: Int = 1000
  ) throws -> SignCommand {
    let system = ServeSystem(
      environment: environment,
      text: { path in files[path].map { .success($0) } ?? .failure(ServeMistake("\(path) cannot be read.")) },
      isFolder: { _ in false }, isFile: { _ in false })
    return try SignCommand(ArgumentParser(SignCommand.description).parse(words), system, now: now)
  }

  private func lines(_ words: String...) throws -> [String] { try sign(words).lines }

  private func mistake(_ words: [String], environment: [String: String]? = nil) -> String {
    do {
      _ =
        if let environment { try sign(words, environment: environment) } else { try sign(words) }
      return ""
    } catch {
      return (error as? UsageError)?.message ?? "\(error)"
    }
  }

  @Test func signaturesAreThoseOfImgproxy() throws {
    #expect(try lines(Self.path) == ["/\(Self.signature)\(Self.path)"])
    #expect(try lines(String(Self.path.dropFirst())) == ["/\(Self.signature)\(Self.path)"])
    #expect(try lines("--signature-size", "8", Self.path) == ["/m3k5QADfcKM\(Self.path)"])
    #expect(
      try lines("--prefix", "https://img.example.com/", Self.path) == [
        "https://img.example.com/\(Self.signature)\(Self.path)"
      ])
    #expect(try lines(Self.path, "/w:1/plain/https://h/a").count == 2)
  }

  @Test func signaturesAreThoseOfThumbor() throws {
    let signed = try sign(
      ["--urls", "thumbor", "300x200/smart/path/to/image.jpg"], environment: ["EASEL_KEY": "my-security-key"])
    #expect(signed.lines == ["/TaWoUq6tvBe2HywzAULy6_Np-2k=/300x200/smart/path/to/image.jpg"])
  }

  @Test func keysComeFromAFileToo() throws {
    let files = ["keys": "# first signs\n\(Self.key) \(Self.salt)\nc0ffee -\n"]
    let signed = try sign(["--key-file", "keys", Self.path], environment: [:], files: files)
    #expect(signed.lines == ["/\(Self.signature)\(Self.path)"])
  }

  @Test func aPathIsBuiltOfItsParts() throws {
    let built = try lines(
      "--source", "https://host/a b@2x.jpg?q=1", "--options", "rs:fit:300:200/q:70/", "--format", "webp")
    #expect(built[0].hasSuffix("/rs:fit:300:200/q:70/plain/https://host/a%20b%402x.jpg%3Fq=1@webp"))
    #expect(try lines("--source", "local:///猫.png")[0].hasSuffix("/plain/local:///%E7%8C%AB.png"))
  }

  @Test func anAddressCanExpire() throws {
    let signed = try lines("--expires", "1h", "/w:5/plain/https://h/a")[0]
    #expect(signed.hasSuffix("/exp:4600/w:5/plain/https://h/a"))
    #expect(mistake(["--expires", "1h", "/exp:5/plain/https://h/a"]).contains("states when it expires"))
  }

  @Test func signedPathsCanBeChecked() throws {
    let right = try lines("--expires", "1h", "/w:5/plain/https://h/a")[0]
    #expect(try sign(["--check", right]).failures.isEmpty)
    #expect(try sign(["--check", right], now: 4600).failures == ["'\(right)' has expired."])
    for wrong in ["/x" + right.dropFirst(), right + "x", Self.path] {
      #expect(try sign(["--check", wrong]).failures.count == 1)
    }
  }

  @Test(arguments: [
    (["/widht:5/plain/https://h/a"], "Did you mean width?"), (["/w:5"], "cannot be read"),
    (["/w:5/plain/https://h/a?x"], "%3F"),
    (["/w:5/plain/https://h/a b"], "percent signs"), ([], "needs a PATH"),
    (["--options", "w:5", "x"], "needs --source"),
    (["--source", "https://h/a", "/w:5/plain/https://h/a"], "Leave PATH"),
    (["--source", "https://h/a", "--format", "exe"], "format"),
    (["--prefix", "host", "/w:5/plain/https://h/a"], "--prefix"),
    (["--signature-size", "0", "/w:5/plain/https://h/a"], "signature-size"),
  ])
  func aMistakeIsSaidBeforeAnythingIsPrinted(_ words: [String], _ part: String) {
    let mistake = mistake(words)
    #expect(mistake.contains(part), "\(mistake)")
    #expect(!mistake.contains(Self.key))
  }

  @Test func withoutAKeyNothingIsSigned() {
    #expect(mistake([Self.path], environment: [:]).contains("no key"))
    #expect(mistake([Self.path], environment: ["EASEL_KEY": "zz", "EASEL_SALT": "00"]).contains("not hexadecimal"))
    #expect(mistake([Self.path], environment: ["EASEL_KEY": Self.key]).contains("1 keys and 0 salts"))
  }

  @Test func theProgramSigns() throws {
    let outcome = try EaselProcess.run([
      "sign", "--key", Self.key, "--salt", Self.salt, Self.path,
    ])
    #expect(outcome.text == "/\(Self.signature)\(Self.path)\n" || outcome.text == "/\(Self.signature)\(Self.path)")
    #expect(try EaselProcess.run(["sign", Self.path]).status == 2)
  }
}
