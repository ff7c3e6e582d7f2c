import EaselCore
import EaselSupport
import Glibc

/// The cards of the helpers that are installed.
///
/// A card is a file with the extension `card` in one of the directories; no URL and no file that is decoded can name
/// another. A card names a program that will be started. So a card, its directory and the program are refused if others
/// than root and the user of this process may write them.
///
/// ```swift
/// let helpers = Helpers(HelperCards())
/// configuration.coder = CoderRegistry.standard.adding(helpers)
/// ```
public struct HelperCards: Sendable {
  /// The cards, in the order of their files' names.
  public let cards: [HelperCard]
  /// A sentence about each card that cannot be used.
  public let mistakes: [String]

  /// The directories of the packages of a system and of programs installed by hand.
  ///
  /// The environment variable `EASEL_HELPERS` names other directories instead, with colons between them. If it is empty,
  /// there are no helpers.
  public static var standardDirectories: [String] {
    // A program that runs with the rights of another user must not be told by its caller which programs to start.
    guard getuid() == geteuid(), let text = getenv("EASEL_HELPERS") else {
      return ["/usr/share/easel/helpers", "/usr/local/share/easel/helpers"]
    }
    return String(cString: text).split(separator: ":").map(String.init)
  }

  /// Reads the cards of these directories; a directory that does not exist has none.
  public init(directories: [String] = HelperCards.standardDirectories) {
    var (cards, mistakes): ([HelperCard], [String]) = ([], [])
    for directory in directories {
      do throws(HelperCard.Mistake) {
        for path in try Self.paths(in: directory) {
          do throws(HelperCard.Mistake) {
            let card = try Self.card(at: path)
            guard !cards.contains(where: { $0.coder == card.coder }) else {
              throw HelperCard.Mistake("the coder \(card.coder) has a card already")
            }
            cards.append(card)
          } catch {
            mistakes.append("The card \(path) is not used: \(error.message).")
          }
        }
      } catch {
        mistakes.append("The helpers in \(directory) are not used: \(error.message).")
      }
    }
    (self.cards, self.mistakes) = (cards, mistakes)
  }

  /// The most bytes of a card, and the most cards in a directory.
  private static let (mostBytes, mostCards) = (1 << 14, 100)

  private static func paths(in directory: String) throws(HelperCard.Mistake) -> [String] {
    guard let folder = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw HelperCard.Mistake("\(SystemError(code: errno))")
    }
    defer { closedir(folder) }
    var status = stat()
    guard fstat(dirfd(folder), &status) == 0 else { throw HelperCard.Mistake("\(SystemError(code: errno))") }
    try check(status)
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".card"), !name.hasPrefix(".") { names.append(name) }
    }
    guard names.count <= mostCards else { throw HelperCard.Mistake("there are more than \(mostCards) cards") }
    return names.sorted().map { "\(directory)/\($0)" }
  }

  private static func card(at path: String) throws(HelperCard.Mistake) -> HelperCard {
    // A pipe must not keep the program waiting.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw HelperCard.Mistake("\(SystemError(code: errno))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw HelperCard.Mistake("it is no file")
    }
    try check(status)
    var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard (0...mostBytes).contains(count) else { throw HelperCard.Mistake("it cannot be read, or is too long") }
    let card = try HelperCard(String(decoding: bytes.prefix(count), as: UTF8.self))
    try check(program: card.program)
    return card
  }

  private static func check(program path: String) throws(HelperCard.Mistake) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw HelperCard.Mistake("its program \(path) cannot be found: \(SystemError(code: errno))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      throw HelperCard.Mistake("its program \(path) cannot be run")
    }
    do throws(HelperCard.Mistake) {
      try check(status)
    } catch {
      throw HelperCard.Mistake("its program \(path): \(error.message)")
    }
  }

  private static func check(_ status: stat) throws(HelperCard.Mistake) {
    guard [0, geteuid()].contains(status.st_uid) else { throw HelperCard.Mistake("it belongs to another user") }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw HelperCard.Mistake("others than its owner may write it; run chmod go-w")
    }
  }
}
