import EaselListener
import Testing

struct ListenerSettingsTests {
  @Test func theDefaultsBoundEveryConnection() {
    let settings = ListenerSettings()
    #expect(settings.headBytes > 0 && settings.connections > 0 && settings.threads > 0)
    #expect(settings.headTime > .zero && settings.idleTime > .zero && settings.sendTime > .zero)
  }
}
