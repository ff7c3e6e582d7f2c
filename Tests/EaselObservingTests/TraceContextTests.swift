import Testing

@testable import EaselObserving

struct TraceContextTests {
  private static let field = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func theExampleOfW3CIsRead() throws {
    let context = try #require(TraceContext(Self.field))
    #expect(context.traceText == "4bf92f3577b34da6a3ce929d0e0e4736" && context.spanText == "00f067aa0ba902b7")
    #expect(context.isSampled && context.field == Self.field)
    #expect(TraceContext(Self.field.dropLast(2) + "00")?.isSampled == false)
    #expect(TraceContext(Self.field.dropLast(2) + "fe")?.isSampled == false)
    #expect(TraceContext("cc" + Self.field.dropFirst(2) + "-what the future will be like") != nil)
  }

  @Test(arguments: [
    "", "00", String(field.dropLast()), field + "-x", "ff" + field.dropFirst(2), "0g" + field.dropFirst(2),
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", field.replacing("-", with: "_"),
    "cc" + field.dropFirst(2) + "x",
    "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
  ])
  func whatIsMalformedIsNone(_ field: String) { #expect(TraceContext(field) == nil) }

  @Test func aChildIsInTheSameTrace() throws {
    let context = try #require(TraceContext(Self.field))
    let child = context.child()
    #expect(child.traceText == context.traceText && child.span != context.span && child.isSampled)
    #expect(try #require(TraceContext(child.field)) == child)
  }
}
