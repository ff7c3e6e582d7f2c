import AdapterStudio
import Easel
import EaselLogging
import EaselObserving
import EaselTestSupport
import Logging
import Testing

struct LoggerSinkTests {
  @Test func aLoadIsWrittenWithTheMetadataOfItsTask() async throws {
    let book = LogBook()
    let logger = book.logger(
      .info, provider: Logger.MetadataProvider { ["trace": .string(TraceName.current ?? "none")] })
    let studio = try AdapterStudio { $0.addObserver(.log(to: logger)) }
    var requestLogger = book.logger(.info)
    requestLogger[metadataKey: "request"] = "42"
    let answer = await withLogger(requestLogger) { _ in
      await TraceName.$current.withValue("abc") {
        await studio.pictures.response(to: .init(target: AdapterStudio.path))
      }
    }
    #expect(answer.status == 200)
    let entry = try #require(book.entries.first { $0.message == "load succeeded" })
    #expect(entry.level == .info && entry.metadata["url"] == "http://pictures.test/a.png")
    #expect(entry.metadata["request"] == "42" && entry.metadata["trace"] == "abc")
    #expect(entry.metadata["source"] == "network")
  }

  @Test func theLevelOfTheLoggerCounts() async throws {
    let book = LogBook()
    let studio = try AdapterStudio { $0.addObserver(.log(to: book.logger(.warning))) }
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 200)
    #expect(book.entries.isEmpty)
    _ = await studio.pictures.response(to: .init(target: AdapterStudio.path.replacing("a.png", with: "b.png")))
    #expect(book.entries.map(\.level) == [.error])
  }

  @Test func theLogIsAnObserver() async {
    #expect(await ImageObserverContract(ImageLog.log(to: LogBook().logger(.trace))).check().isEmpty)
  }
}

private enum TraceName {
  @TaskLocal static var current: String?
}
