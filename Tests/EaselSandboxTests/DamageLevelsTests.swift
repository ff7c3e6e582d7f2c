import EaselCore
import EaselEverything
import EaselTestCorpus
import FoundationEssentials
import Testing

/// The levels of the setting for damaged pictures, with the damaged files of the corpus.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct DamageLevelsTests {
  /// A sanitizer sees nothing of the libraries of others, and their large pictures take minutes under it.
  private static let formats: Set<String>? =
    ProcessInfo.processInfo.environment["EASEL_SANITIZER"] == nil ? nil : ["gif", "qoi", "pnm", "bmp", "ico"]

  @Test(arguments: CoderRegistry.everything.coders.map { $0.identifier })
  func eachLevelShowsOfDamagedFilesWhatTheOneBeforeShows(_ identifier: String) throws {
    let coder = try #require(CoderRegistry.everything.coders.first { $0.identifier == identifier })
    guard let checks = CorpusChecks(of: coder), Self.formats?.contains(checks.format) != false else { return }
    #expect(checks.levels() == [])
  }
}
