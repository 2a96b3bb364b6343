"""Writes questions.jsonl: 1,400 questions about 40 topics that the documents of a company lack.

A topic has names for its subject, and sentences with {}. make.py combines them with openings, closings, and
typing errors. The same seed gives the same file.
"""
import json
import random

TOPICS = {
    "parking": ("a parking space|a spot in the garage|a place for my car|car parking", "How do I get {}?|Where can I apply for {}?|Who hands out {}?|Is there {} for visitors?|What does {} cost per month?|my boss said I can have {}, what now"),
    "bike": ("a company bike|a leased bicycle|the job bike|an e-bike through the firm", "How can I lease {}?|What are the rules for {}?|May I order {} this year?|Who pays for {} if I quit?|can i get {}|Which shops offer {}?"),
    "parental": ("parental leave|maternity leave|time off for a newborn|leave after the birth", "How long is {}?|How do I apply for {}?|When must I announce {}?|Do fathers get {} too?|Is {} paid?|we are having a baby, how does {} work"),
    "sabbatical": ("a sabbatical|an unpaid year off|a long break from work|several months of unpaid leave", "Can I take {}?|How do I request {}?|After how many years may I have {}?|What happens to my contract during {}?|who decides about {}|Does {} change my pension?"),
    "pension": ("the company pension|the pension plan|occupational retirement provision|retirement savings at work", "How does {} work?|How much do we get added to {}?|When can I join {}?|Can I transfer {} to a new employer?|where do i see my {}|Who manages {}?"),
    "vpn": ("the VPN|the remote tunnel to the office network|the VPN client|remote network access", "How do I install {}?|Why does {} disconnect all the time?|Which server does {} use?|{} asks for a code, what do I enter?|I cannot connect to {} from home|Does {} run on a Mac?"),
    "printer": ("the printer on the second floor|the network printer|the office printer|the big copier", "How do I connect to {}?|{} does not print in color|Who refills paper in {}?|How can I scan with {}?|there is a paper jam in {}|Where do I find the driver of {}?"),
    "canteen": ("the canteen|the staff restaurant|lunch in the cafeteria|the works canteen", "When does {} open?|How do I pay in {}?|Is there vegan food in {}?|Where is the menu of {}?|can guests eat in {}|What does a meal in {} cost?"),
    "password": ("my Windows password|the password of my work account|my login password|my account password", "How do I reset {}?|I forgot {}|How often must I change {}?|{} has expired, what do I do?|Who can unlock {}?|How long must {} be?"),
    "laptop": ("a new laptop|a replacement notebook|another work computer|a faster laptop", "How do I order {}?|When am I due for {}?|Who approves {}?|Which models can I choose for {}?|my old one is slow, can i have {}|How long does it take to get {}?"),
    "travel": ("travel expenses|the costs of a business trip|expenses from my trip|hotel and train costs", "How do I claim {}?|By when must I hand in {}?|Where do I upload receipts for {}?|When are {} paid back?|Who signs {}?|which form is for {}"),
    "mileage": ("mileage for my own car|the kilometer allowance|driving in my private car|kilometers in my own vehicle", "How much do I get for {}?|How is {} refunded?|Do I need a log for {}?|Is {} taxed?|what is the rate of {}|May I claim {} for the way to a client?"),
    "payslip": ("my payslip|the salary statement|my monthly pay statement|last month's pay slip", "Where do I find {}?|Why is there a deduction on {}?|When does {} arrive?|Can I get {} on paper?|there is an error on {}|How do I read {}?"),
    "overtime": ("overtime|extra hours|hours beyond my contract|additional working hours", "How are {} recorded?|Are {} paid or taken as time off?|Do {} expire?|Who must approve {}?|how many {} may i have|What happens to {} when I leave?"),
    "sick": ("a sick note|a doctor's certificate|the certificate of illness|a medical note", "When do I need {}?|Where do I send {}?|From which day is {} required?|Do I need {} for a sick child?|i am ill, do i need {}|Can I send {} as a photo?"),
    "homeoffice": ("working from home|home office days|remote work|working at home", "How many days of {} are allowed?|Who approves {}?|Do I get furniture for {}?|Is {} possible from abroad?|what are the rules for {}|Is there an allowance for {}?"),
    "badge": ("my access badge|the door card|my key card|the entry badge", "I lost {}|How do I get {}?|{} does not open the door|Who replaces {}?|Which doors open with {}?|what does a new copy of {} cost"),
    "meetingroom": ("a meeting room|the conference room|a room for a workshop|the big meeting room", "How do I book {}?|Who can cancel a booking of {}?|How many people fit into {}?|Does {} have a video camera?|i need {} tomorrow|Can outside partners use {}?"),
    "training": ("a training course|further education|an external seminar|a language course", "How do I sign up for {}?|Who pays for {}?|How many days may I use for {}?|Which budget is there for {}?|can i take {}|Must I pay back {} if I leave?"),
    "referral": ("the referral bonus|money for recommending a friend|the employee referral premium|a bonus for a new hire I recommended", "How high is {}?|When is {} paid?|How do I recommend somebody and get {}?|Does {} count for interns?|who gets {}|Is {} taxed?"),
    "gym": ("the gym discount|the fitness subsidy|the sports membership|cheap gym membership", "How do I get {}?|Which studios take {}?|How much is {}?|Can my partner use {}?|is there {}|How do I cancel {}?"),
    "phone": ("a company phone|a work mobile|a business smartphone|a mobile contract from the firm", "How do I get {}?|May I use {} privately?|Which models are there for {}?|What do I do if I break {}?|can i keep my number with {}|Does {} work abroad?"),
    "signature": ("the email signature|the footer of my mails|my signature in Outlook|the official mail footer", "How do I set up {}?|Which text must be in {}?|Where is the template for {}?|Which font does {} use?|i want to change {}|Is a logo allowed in {}?"),
    "software": ("a Photoshop license|an Adobe license|Creative Cloud|the Adobe programs", "How do I get {}?|Who pays for {}?|{} has expired|Can I install {} at home?|i need {} for a brochure|Who approves {}?"),
    "gdpr": ("a request for personal data|a data subject request|a customer who wants a copy of their data|a privacy request by a client", "How do we handle {}?|Who answers {}?|How long do we have for {}?|Which form is there for {}?|i received {}, what now|Must {} be in writing?"),
    "fire": ("a fire alarm|an evacuation|a fire in the building|the evacuation drill", "What do I do in case of {}?|Where is the assembly point at {}?|Who is the warden during {}?|When is the next {}?|which exits do we use for {}|Whom do I call at {}?"),
    "firstaid": ("a first aider|the first aid kit|someone trained in first aid|the defibrillator", "Where do I find {}?|Who is {} on our floor?|Who refills or trains {}?|How do I become or order {}?|we need {} fast|Is there {} in the warehouse?"),
    "visitor": ("an external visitor|guests from outside|a customer who visits us|a visitor from another company", "How do I register {}?|Does {} need a badge?|Where does {} wait?|May {} use the WLAN?|i expect {} on monday|Who signs in {}?"),
    "wifi": ("the guest WiFi|wireless internet for guests|the visitor WLAN|the WLAN for guests", "What is the password of {}?|How long does access to {} last?|Who makes vouchers for {}?|{} is very slow|does {} reach the garden|Is {} filtered?"),
    "invoice": ("an invoice from a supplier|a supplier's bill|an incoming invoice|a vendor invoice", "Where do I send {}?|Who approves {}?|What must be on {}?|When do we pay {}?|i got {} by mail|Do I need an order number for {}?"),
    "creditcard": ("a company credit card|a corporate card|the business credit card|a firm's Visa card", "How do I apply for {}?|What is the limit of {}?|I lost {}|May I draw cash with {}?|who gets {}|How do I settle purchases with {}?"),
    "return": ("a faulty device|a broken product|a defective delivery|goods that are damaged", "How does a customer return {}?|Who pays postage for {}?|How long can {} be sent back?|Which label is for {}?|client has {}, what should I tell them|Do we refund {} in full?"),
    "warranty": ("the warranty extension|a longer guarantee|the five-year guarantee|extended warranty", "How do customers buy {}?|What does {} cover?|How much is {}?|Until when can {} be added?|does {} include batteries|Where do I register {}?"),
    "export": ("exports to Switzerland|deliveries to Norway|shipping outside the EU|customs for orders abroad", "Which papers do we need for {}?|Who fills in forms for {}?|How long do {} take?|Is there VAT on {}?|can we do {}|Which carrier handles {}?"),
    "newsletter": ("the newsletter|our customer mailing|the monthly mailing to clients|the marketing newsletter", "Who writes {}?|How do customers unsubscribe from {}?|When is {} sent?|How do I add a client to {}?|can we put our event into {}|Which tool sends {}?"),
    "logo": ("our logo|the company logo|the logo files|the brand logo as vector", "Where do I download {}?|Which colors does {} have?|May partners use {}?|How much space must be around {}?|i need {} for a poster|Is there {} in white?"),
    "api": ("our public API|the REST interface|the developer API|the API of our platform", "How do I get a key for {}?|Is there a rate limit on {}?|Where is the documentation of {}?|{} returns error 429|which languages have a client for {}|Is {} versioned?"),
    "backup": ("a deleted file|an old version of a file|a folder that I removed by mistake|a lost document on the share", "How do I restore {}?|How long is {} kept?|Who can bring back {}?|Is there a backup of {}?|please help, i need {} back|Can I recover {} myself?"),
    "inventory": ("the yearly stocktaking|inventory counting|the annual stock count|the warehouse inventory", "When is {}?|Who takes part in {}?|How do we prepare {}?|Which list do we use for {}?|do we close during {}|How are differences after {} booked?"),
    "union": ("the works council|our employee representatives|the staff committee|the employees' council", "How do I reach {}?|Who belongs to {}?|When does {} meet?|When is the next election of {}?|i need advice from {}|What must {} approve?"),
}
OPENINGS = ["", "", "", "", "Hi, ", "Hello! ", "Quick question: ", "Sorry to bother you, ", "One more thing: ", "For a colleague: "]
CLOSINGS = ["", "", "", "", " Thanks!", " Thank you", " It is urgent.", " Please."]
PER_TOPIC = 35


def typo(text: str, chance: random.Random) -> str:
    """Leaves out or swaps a letter inside a word."""
    at = chance.randrange(len(text) // 3, len(text) - 2)
    if not text[at : at + 2].isalpha():
        return text
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :] if chance.random() < 0.5 else text[:at] + text[at + 1 :]


def main() -> None:
    chance = random.Random(7)
    lines = []
    for topic, (names, sentences) in TOPICS.items():
        seen = set()
        while len(seen) < PER_TOPIC:
            text = chance.choice(sentences.split("|")).format(chance.choice(names.split("|")))
            text = chance.choice(OPENINGS) + text[0].upper() + text[1:] + chance.choice(CLOSINGS)
            if chance.random() < 0.2:
                text = text.lower().rstrip("?")
            if chance.random() < 0.15:
                text = typo(text, chance)
            seen.add(text)
        lines += [{"topic": topic, "question": q} for q in sorted(seen)]
    chance.shuffle(lines)
    with open("questions.jsonl", "w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(line) + "\n")


main()
