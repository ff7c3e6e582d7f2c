import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// `easel sign`, with keys and places that a test makes up.
@Suite(.tags(.alone))
struct SignTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
  private static let pair = ["--key", key, "--salt", salt]
  private static let now = 1_700_000_000

  /// Hexadecimal digits of a text.
  private static func digits(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func run(_ words: [String], environment: [String: String] = [:]) throws -> Child.Outcome {
    // Keys of the person who runs the tests must not matter.
    let none = ["EASEL_KEY", "EASEL_SALT", "EASEL_KEY_FILE", "EASEL_URLS", "EASEL_SIGNATURE_SIZE"].map { ($0, "") }
    let variables = Dictionary(uniqueKeysWithValues: none).merging(environment) { $1 }
    return try EaselProcess.run(["sign"] + words, environment: variables)
  }

  private func signed(_ words: [String], environment: [String: String] = [:]) throws -> String {
    let outcome = try run(words, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.text
  }

  /// The error of the command, which is said before anything is printed.
  private func mistake(_ words: [String], environment: [String: String] = [:]) throws -> String {
    let outcome = try run(words, environment: environment)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(!outcome.errors.contains(Self.key) && !outcome.errors.contains(Self.salt))
    return outcome.errors
  }

  // MARK: Vectors

  @Test(
    arguments: [
      (
        digits("secret"), digits("hello"), 32,
        "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
        "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"
      ),
      (
        digits("secret"), digits("hello"), 32, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
        "vZ6TInXHD_gdx-w5FK0bcxhSYxKd-2GkBizoDIGgzSU"
      ),
      (
        key, salt, 32, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
        "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"
      ),
      (key, salt, 8, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg", "m3k5QADfcKM"),
      (
        key, salt, 32,
        "/pr:sharp/rs:fill:300:400:0/g:sm/plain/http%3A%2F%2Fexample.com%2Fa%20b%3Fq%3D1%2540x.jpg@webp",
        "HbXmoZXlb9ox_9O7ASZnXEIy5q-84ZqiZUWxdtYC9Oo"
      ),
      (
        key, salt, 32, "/w:100/exp:1735689600/plain/local:///%E7%8C%AB.png@avif",
        "zF2QyAtpAQIRQCi2mK0PpfOJe-pdskKvT-TQ6MZ6KaI"
      ),
      (key, "-", 32, "/q:80/plain/s3://bucket/key.jpg", "ID7rO1qIYyGNBQocz4lUiz6bTMFkS8y7TFG6Sv3UfKo"),
    ])
  func signaturesOfImgproxy(_ key: String, _ salt: String, _ size: Int, _ path: String, _ signature: String) throws {
    let words = ["--key", key, "--salt", salt, "--signature-size", "\(size)"]
    #expect(try signed(words + [path]) == "/\(signature)\(path)\n")
    let checked = try run(words + ["--check", "/\(signature)\(path)"])
    #expect(checked.status == (path.contains("exp:") ? 1 : 0), "\(checked.errors)")
  }

  @Test(
    arguments: [
      (
        "mysecret", "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png",
        "cST4Ko5_FqwT3BDn-Wf4gO3RFSk="
      ),
      ("my-security-key", "300x200/smart/path/to/image.jpg", "TaWoUq6tvBe2HywzAULy6_Np-2k="),
      ("my-security-key", "300x200/image.jpg", "qjXs3_UNvhoXhEYcQzf0hy8tIek="),
      (
        "my-security-key",
        "fit-in/-300x-200/left/top/filters:quality(80):format(webp)/http%3A%2F%2Fexample.com%2Fa%20b.jpg",
        "9oAmHk8xxHG4Z-MNrJJo0XJlrSo="
      ),
      (
        "my-security-key",
        "trim:bottom-right:10/10x20:110x120/0x400/filters:watermark(http://x.example/logo.png,-10,-10,50)/"
          + "example.com/%E7%8C%AB.png", "i9DsHPjaFMDUz98ZBKiWpAlt8v8="
      ),
      ("MY_SECURE_KEY", "200x0/filters:fill(white)/s3.example.com/b/k.jpg", "nJXjLEaqMP4gY6eAXORp1wmmxJk="),
    ])
  func signaturesOfThumbor(_ key: String, _ path: String, _ signature: String) throws {
    let words = ["--urls", "thumbor", "--key", key]
    #expect(try signed(words + [path]) == "/\(signature)/\(path)\n")
    #expect(try signed(words + ["/\(path)"]) == "/\(signature)/\(path)\n")
  }

  // MARK: Keys

  @Test func keysComeFromOptionsVariablesAndFiles() throws {
    let path = "/w:1/plain/http://h/a"
    let wanted = try signed(Self.pair + [path])
    #expect(try signed([path], environment: ["EASEL_KEY": Self.key, "EASEL_SALT": Self.salt]) == wanted)
    try Scratch.with { scratch in
      let file = try scratch.write(Data("# keys\n\(Self.key) \(Self.salt)\nff -\n".utf8), "keys")
      #expect(try signed(["--key-file", file, path]) == wanted)
      #expect(try signed([path], environment: ["EASEL_KEY_FILE": file]) == wanted)
      let other = try signed(["--key", "ff", "--salt", "-", path])
      #expect(other != wanted)
      // The first key signs, and an option comes before a variable.
      #expect(try signed(["--key-file", file, "--key", "ff00", "--salt", "-", path]) != wanted)
      #expect(try signed(Self.pair + [path], environment: ["EASEL_KEY": "ff"]) == wanted)
      // Both keys of the file are right for the server.
      #expect(try run(["--key-file", file, "--check", String(other.dropLast())]).status == 0)
      let thumbor = try scratch.write(Data("my-security-key\n".utf8), "thumbor")
      #expect(
        try signed(["--key-file", thumbor, "300x200/image.jpg"], environment: ["EASEL_URLS": "thumbor"])
          == "/qjXs3_UNvhoXhEYcQzf0hy8tIek=/300x200/image.jpg\n")
    }
  }

  @Test func otherVariablesOfTheServerDoNotMatter() throws {
    let environment = ["EASEL_CONFIG": "/nowhere", "EASEL_WORKERS": "x", "EASEL_UNSAFE": "1"]
    #expect(
      try signed(Self.pair + ["/w:1/plain/http://h/a"], environment: environment).hasSuffix("/plain/http://h/a\n"))
  }

  @Test(
    arguments: [
      (["/w:1/plain/http://h/a"], "There is no key to sign with."), (["--key", key, "/w:1/plain/http://h/a"], "salts"),
      (["--key", "xyz", "--salt", "-", "/w:1/plain/http://h/a"], "hexadecimal"),
      (["--key-file", "/nowhere/keys", "/w:1/plain/http://h/a"], "/nowhere/keys cannot be read"),
      (["--urls", "thumbor", "--key", "a", "--salt", "ff", "1x1/a"], "have no salt"),
      (["--urls", "other", "--key", "a", "1x1/a"], "--urls needs"),
      (pair + ["--signature-size", "33", "/w:1/plain/http://h/a"], "--signature-size needs"),
    ])
  func aMistakeInTheKeysIsSaid(_ words: [String], _ part: String) throws {
    #expect(try mistake(words).contains(part))
  }

  // MARK: Paths

  @Test(
    arguments: [
      ("/widht:5/plain/http://h/a", "Did you mean width?"), ("/w:x/plain/http://h/a", "width takes a whole number"),
      ("/w:5", "no source"), ("/plain/http://h/a?b=1", "%3F"), ("/plain/http://h/a#b", "%23"),
      ("/plain/http://h/a b", "percent signs"), ("/plain/http://h/猫", "percent signs"),
      ("/plain/http://h/%zz", "percent signs"), ("/plain/http://h/a@exe", "not known"), ("", "cannot be read"),
    ])
  func aMistakeInAPathIsSaidBeforeAnythingIsPrinted(_ path: String, _ part: String) throws {
    let errors = try mistake(Self.pair + ["/w:1/plain/http://h/good", path])
    #expect(errors.contains(part) && errors.contains("'\(path.isEmpty ? "/" : path)'"), "\(errors)")
  }

  @Test func aMistakeInAPathOfThumborIsSaid() throws {
    let words = ["--urls", "thumbor", "--key", "a"]
    #expect(try mistake(words + ["filters:blurr(2)/a"]).contains("There is no filter 'blurr'."))
    #expect(try mistake(words + ["filters:noise(2)/a"]).contains("noise is not known here"))
    #expect(try mistake(words + ["--source", "smart/a"]).contains("would not read 'smart/a' as the picture"))
    #expect(try mistake(words + ["--expires", "7d", "1x1/a"]).contains("cannot expire"))
  }

  @Test func everyPathIsSigned() throws {
    let paths = ["/w:1/plain/http://h/a", "w:2/plain/http://h/a"]
    let lines = try run(Self.pair + ["--prefix", "https://img.example.com/"] + paths).lines
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("https://img.example.com/") && lines[0].hasSuffix("/w:1/plain/http://h/a"))
    #expect(lines[1].hasSuffix("/w:2/plain/http://h/a") && !lines[1].contains(".com//"))
    #expect(try signed(Self.pair + ["--prefix", "/img", paths[0]]).hasPrefix("/img/"))
    #expect(try mistake(Self.pair + ["--prefix", "img", paths[0]]).contains("--prefix needs"))
  }

  /// The prefix of a form stands before what is signed.
  @Test func aFormWithAPrefixHasItBeforeThePath() throws {
    let path = "/w:1/plain/http://h/a"
    let plain = try signed(Self.pair + [path])
    #expect(try signed(Self.pair + ["--urls", "/img=imgproxy", path]) == "/img" + plain)
    let lines = try run(Self.pair + ["--urls", "/img=imgproxy", "--prefix", "https://h", path]).lines
    let whole = try #require(lines.first)
    #expect(plain.hasPrefix(whole.dropFirst("https://h/img".count)) && whole.hasPrefix("https://h/img/"))
    #expect(try run(Self.pair + ["--urls", "/img=imgproxy", "--check", whole, "--prefix", "https://h"]).status == 0)
  }

  // MARK: Expiry and checks

  private func command(_ words: [String], now: Int = now) throws -> SignCommand {
    let arguments = try ArgumentParser(SignCommand.description).parse(Self.pair + words)
    let system = ServeSystem(
      environment: [:], text: { .failure(ServeMistake($0)) }, isFolder: { _ in false }, isFile: { _ in false })
    return try SignCommand(arguments, system, now: now)
  }

  @Test func aURLCanExpire() throws {
    let path = "/w:1/plain/http://h/a"
    let line = try #require(try command(["--expires", "7d", path]).lines.first)
    #expect(line.hasSuffix("/exp:\(Self.now + 7 * 86_400)\(path)"))
    let later = Self.now + 7 * 86_400
    #expect(try command(["--check", line], now: later - 1).failures.isEmpty)
    #expect(try command(["--check", line], now: later).failures == ["'\(line)' has expired."])
    #expect(throws: UsageError.self) { try command(["--expires", "7d", "/exp:5\(path)"]) }
    #expect(throws: UsageError.self) { try command(["--expires", "7x", path]) }
    #expect(throws: UsageError.self) { try command(["--expires", "7d", "--check", line]) }
  }

  @Test func aSignatureIsChecked() throws {
    let right = try #require(try command(["/pr:small/plain/http://h/a"]).lines.first)
    let wrong = right.replacing("small", with: "large")
    let checked = try command(["--check", right, wrong, "--prefix", "https://img"])
    #expect(checked.lines == ["\(right): the signature is right"])
    #expect(checked.failures == ["'\(wrong)': The signature is not right."])
    #expect(try command(["--check", "--prefix", "https://img", "https://img\(right)"]).failures.isEmpty)
    let outcome = try run(Self.pair + ["--check", wrong, right])
    #expect(outcome.status == 1 && outcome.lines.count == 1 && outcome.errors.contains("not right"))
    #expect(try command(["--check", "", "/", "x", "/unsafe/plain/http://h/a"]).failures.count == 4)
  }

  // MARK: Building

  @Test(
    arguments: [
      (["--source", "https://h/a.jpg"], "/plain/https://h/a.jpg"),
      (
        ["--source", "https://h/a b@2x.jpg?q=1#f", "--options", "rs:fit:300:200/q:70", "--format", "webp"],
        "/rs:fit:300:200/q:70/plain/https://h/a%20b%402x.jpg%3Fq=1%23f@webp"
      ),
      (["--source", "https://h/a%20b", "--options", "/w:5/"], "/w:5/plain/https://h/a%2520b"),
      (["--source", "local:///猫.png"], "/plain/local:///%E7%8C%AB.png"),
    ])
  func aPathIsBuilt(_ words: [String], _ path: String) throws {
    let line = try #require(try command(words).lines.first)
    #expect(line.hasSuffix(path) && line.dropLast(path.utf8.count).filter { $0 == "/" }.count == 1, "\(line)")
    #expect(try command(["--check", line]).failures.isEmpty)
  }

  @Test(
    arguments: [
      (["--source", "https://h/a b.jpg"], "/https://h/a%20b.jpg"),
      (
        ["--source", "h/a.jpg", "--options", "300x200/smart", "--format", "webp"],
        "/300x200/smart/filters:format(webp)/h/a.jpg"
      ),
      (
        ["--source", "https://h/a(1)/b.jpg", "--options", "1x1/filters:blur(2)", "--format", "png"],
        "/1x1/filters:blur(2):format(png)/https://h/a(1)/b.jpg"
      ),
    ])
  func aPathOfThumborIsBuilt(_ words: [String], _ path: String) throws {
    #expect(try signed(["--urls", "thumbor", "--key", "a"] + words).hasSuffix("=\(path)\n"))
  }

  @Test(arguments: [
    ["--source", "https://h/a", "/plain/x"], ["--source", "https://h/a", "--check"],
    ["--options", "w:5", "/plain/http://h/a"],
    ["--format", "webp", "/plain/http://h/a"], ["--source", "https://h/a", "--format", "exe"],
    ["--source", "https://h/a", "--options", "w:x"], ["--source", "https://h/a", "--options", "plain/http://other"], [],
    ["--source", "https://h/a", "--options", "w:5?"],
  ])
  func whatCannotBeBuiltIsSaid(_ words: [String]) {
    #expect(throws: UsageError.self) { try command(words) }
  }
}
