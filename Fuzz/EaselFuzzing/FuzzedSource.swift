import EaselAzure
import EaselCore
import EaselObserving
import EaselS3
import EaselService
import EaselTiers
import FoundationEssentials

/// Drives the readers of sources, of the text that describes them, and of calls about them, with text that may be anything.
public struct FuzzedSource: Sendable {
  /// Creates the driver.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    let text = String(decoding: input, as: UTF8.self)
    readSections(of: text)
    readLocations(text)
    readCalls(text)
    let keys = CredentialsFile.credentials(in: text, profile: "default")
    precondition(keys == nil || text.lowercased().contains("aws_"), "A key is made up.")
    _ = (AzureCredential.key(text), AzureCredential.token(text))
  }

  private func readSections(of text: String) {
    let (sections, mistakes) = SourceSection.all(in: text)
    let count = text.unicodeScalars.count(where: { $0 == "\n" }) + 1
    var last = 0
    for section in sections {
      precondition(section.number > last && section.number <= count, "A section stands in no line of its own.")
      last = section.number
      for line in section.lines {
        precondition(line.number > last && line.number <= count, "A setting stands before its place.")
        last = line.number
        precondition(section.value(line.name) != nil, "A setting is not found.")
      }
      let again = try? SourcePlace(section.place.name)
      precondition(again == section.place, "The name of a place is that of another.")
    }
    for mistake in mistakes {
      precondition((1...count).contains(mistake.number) && !mistake.message.isEmpty, "A mistake stands nowhere.")
    }
  }

  private func readLocations(_ text: String) {
    guard let url = URL(string: text) else { return }
    if let location = AzureLocation(url) {
      let escaped = URL(string: "azure://\(location.path)")
      precondition(escaped.flatMap { AzureLocation($0) } == location, "A blob is written as another one.")
    }
    if let location = S3Location(url) {
      precondition(!location.bucket.contains("/") && !location.key.isEmpty, "A bucket is a path.")
    }
    if let place = try? SourcePlace(text) { _ = place.matches(url) }
  }

  private func readCalls(_ text: String) {
    if let context = TraceContext(text) {
      precondition(TraceContext(context.field) == context, "A trace is written as another one.")
    }
    do throws(ServiceError) {
      let call = try PurgeCall("\(PurgeCall.path)?\(text)"[...])
      let again = try PurgeCall(PurgeCall.target(call.purges)[...])
      precondition(again.purges == call.purges, "A purge is written as another one.")
    } catch {
      precondition(error.status == 400, "A call fails with another status.")
    }
  }
}

/// Tries one input on the readers of sources, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_source")
public func fuzzSource(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedSource().run(UnsafeRawBufferPointer(start: start, count: count))
}
