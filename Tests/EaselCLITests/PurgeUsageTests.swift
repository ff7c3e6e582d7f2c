import EaselTestTags
import Testing

/// Mistakes on the command line of `easel purge`, which are said before anything is sent.
@Suite(.tags(.alone))
struct PurgeUsageTests {
  @Test(
    arguments: [
      ([], "purge needs a URL, --source, --tag or --all."), (["cat.jpg"], "purge needs the URL of a source"),
      (["https://host/a b.jpg"], "has blanks or characters that are not ASCII"),
      (["--tag", "caf\u{E9}"], "has blanks or characters that are not ASCII"),
      (["--all", "--at", "http://"], "an address such as http://127.0.0.1:9090"),
      (["--source", "host/a"], "the beginning of URLs"),
      (["--all", "--key", "00"], "There are 1 keys and 0 salts"),
    ] as [([String], String)])
  func mistakesAreSaid(words: [String], text: String) throws {
    let outcome = try EaselProcess.run(["purge"] + words)
    #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(text), "\(outcome.errors)")
  }
}
